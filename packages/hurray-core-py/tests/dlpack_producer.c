/* A DLPack producer (dlpack.h 1.1) that plays any device. Its memory is a page that may not be touched: who
   reads a byte of it dies of SIGSEGV. Deleters and destructors are counted. */

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct _object PyObject;
PyObject *PyCapsule_New(void *pointer, const char *name, void (*destructor)(PyObject *));
int PyCapsule_IsValid(PyObject *capsule, const char *name);
void *PyCapsule_GetPointer(PyObject *capsule, const char *name);

typedef struct { int32_t type, id; } Device;
typedef struct { uint8_t code, bits; uint16_t lanes; } DataType;
typedef struct {
    void *data;
    Device device;
    int32_t ndim;
    DataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} Tensor;
typedef struct Versioned {
    uint32_t major, minor;
    void *manager_ctx;
    void (*deleter)(struct Versioned *);
    uint64_t flags;
    Tensor tensor;
} Versioned;
typedef struct Legacy {
    Tensor tensor;
    void *manager_ctx;
    void (*deleter)(struct Legacy *);
} Legacy;

static const char *VERSIONED = "dltensor_versioned", *LEGACY = "dltensor";
static atomic_long deleted, destroyed;

long producer_deleted(void) { return deleted; }
long producer_destroyed(void) { return destroyed; }

/* Pages that nobody may read or write, or that everybody may. */
void *producer_memory(size_t size, int forbidden) {
    int protection = forbidden ? PROT_NONE : PROT_READ | PROT_WRITE;
    void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void release(Tensor *tensor, void *managed) {
    free(tensor->shape);
    free(tensor->strides);
    free(managed);
    deleted++;
}
static void delete_versioned(Versioned *managed) { release(&managed->tensor, managed); }
static void delete_legacy(Legacy *managed) { release(&managed->tensor, managed); }

static void destroy(PyObject *capsule) {
    if (PyCapsule_IsValid(capsule, VERSIONED)) {
        delete_versioned(PyCapsule_GetPointer(capsule, VERSIONED));
    } else if (PyCapsule_IsValid(capsule, LEGACY)) {
        delete_legacy(PyCapsule_GetPointer(capsule, LEGACY));
    }
    destroyed++;
}

static int64_t *copied(const int64_t *numbers, int32_t count) {
    if (numbers == NULL) return NULL;
    int64_t *copy = malloc(sizeof *copy * (size_t)(count + 1));
    memcpy(copy, numbers, sizeof *copy * (size_t)count);
    return copy;
}

/* A capsule over `data`; legacy where `major` is 0. */
PyObject *producer_make(uint32_t major, uint64_t flags, int32_t type, int32_t id, uint8_t code, uint8_t bits,
                        int32_t ndim, const int64_t *shape, const int64_t *strides, void *data, uint64_t offset) {
    Tensor tensor = {data, {type, id}, ndim, {code, bits, 1}, copied(shape, ndim), copied(strides, ndim), offset};
    if (major == 0) {
        Legacy *managed = malloc(sizeof *managed);
        *managed = (Legacy){tensor, NULL, delete_legacy};
        return PyCapsule_New(managed, LEGACY, destroy);
    }
    Versioned *managed = malloc(sizeof *managed);
    *managed = (Versioned){major, 0, NULL, delete_versioned, flags, tensor};
    return PyCapsule_New(managed, VERSIONED, destroy);
}
