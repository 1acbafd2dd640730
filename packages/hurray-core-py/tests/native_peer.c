/* The native protocol from C (hurray.h): a consumer that prints what a capsule holds, a producer whose capsules
   Python reads, and one that lies. */

#include <hurray.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct _object PyObject;
PyObject *PyCapsule_New(void *pointer, const char *name, void (*destructor)(PyObject *));
int PyCapsule_IsValid(PyObject *capsule, const char *name);
void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
int PyCapsule_SetName(PyObject *capsule, const char *name);
void *PyCapsule_GetContext(PyObject *capsule);
int PyCapsule_SetContext(PyObject *capsule, void *context);

static const char *NAME = "hurray_tensor", *USED = "used_hurray_tensor";
static atomic_long released;

/* How often memory and owners of ours were released. */
long peer_released(void) { return released; }

static void release_memory(void *data, void *context) {
    (void)context;
    free(data);
    released++;
}

static void release_owner(void *owner) {
    (void)owner;
    released++;
}

/* The destructor of a capsule that nobody has taken. */
static void destroy(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, NAME)) return;
    HurrayBufferList *list = PyCapsule_GetPointer(capsule, NAME);
    HurrayTensorContext *context = PyCapsule_GetContext(capsule);
    hurray_buffer_list_destroy(&list);
    hurray_tensor_context_destroy(&context);
}

static PyObject *capsule_of(HurrayBufferList *list, HurrayTensorContext *context) {
    PyObject *capsule = PyCapsule_New(list, NAME, destroy);
    PyCapsule_SetContext(capsule, context);
    return capsule;
}

/* The list and the context of a capsule, which are ours from then on. */
static int taken(PyObject *capsule, HurrayBufferList **list, HurrayTensorContext **context) {
    uint32_t version = 0;
    if (!PyCapsule_IsValid(capsule, NAME)) return -1;
    *context = PyCapsule_GetContext(capsule);
    if (hurray_tensor_context_abi_version(*context, &version) != HURRAY_OK) return -2;
    if (version != HURRAY_C_ABI_VERSION || version != hurray_c_abi_version()) return -3;
    *list = PyCapsule_GetPointer(capsule, NAME);
    return PyCapsule_SetName(capsule, USED);
}

static void print_buffer(uint64_t at, const HurrayBuffer *buffer) {
    void *data = NULL;
    uint64_t size = 0;
    uint32_t alignment = 0;
    uint8_t device = 0, memory = 0, sync = 0;
    hurray_buffer_data_ptr(buffer, &data);
    hurray_buffer_byte_size(buffer, &size);
    hurray_buffer_alignment(buffer, &alignment);
    hurray_buffer_device_tag(buffer, &device);
    hurray_buffer_memory_class(buffer, &memory);
    hurray_buffer_sync_mode(buffer, &sync);
    printf("buffer %" PRIu64 ": %" PRIu64 " bytes, device %u, class %u, sync %u, aligned %d:", at, size, device, memory,
           sync, size == 0 || (uintptr_t)data % alignment == 0);
    for (uint64_t byte = 0; device == 0 && byte < size; byte++) printf(" %02x", ((uint8_t *)data)[byte]);
    printf("\n");
}

static void print_descriptor(const uint8_t *bytes, uint64_t len) {
    HurrayDescriptor *descriptor = NULL;
    if (hurray_descriptor_decode(bytes, len, &descriptor) != HURRAY_OK) {
        printf("descriptor does not decode\n");
        return;
    }
    uint8_t type = 0, layout = 0;
    uint32_t rank = 0;
    uint64_t offset = 0, shape[64];
    size_t room = 64;
    hurray_descriptor_element_type_tag(descriptor, &type);
    hurray_descriptor_layout_tag(descriptor, &layout);
    hurray_descriptor_rank(descriptor, &rank);
    hurray_descriptor_byte_offset(descriptor, &offset);
    hurray_descriptor_shape(descriptor, shape, &room);
    printf("type 0x%02x, layout 0x%02x, offset %" PRIu64 ", shape", type, layout, offset);
    for (uint32_t at = 0; at < rank; at++) printf(" %" PRIu64, shape[at]);
    printf("\n");
    hurray_descriptor_destroy(descriptor);
}

/* Takes a capsule and prints descriptor and bytes; 0 when all is well. */
int peer_consume(PyObject *capsule) {
    HurrayBufferList *list = NULL;
    HurrayTensorContext *context = NULL;
    const uint8_t *bytes = NULL;
    uint64_t len = 0, count = 0;
    int status = taken(capsule, &list, &context);
    if (status != 0) return status;
    hurray_tensor_context_descriptor(context, &bytes, &len);
    print_descriptor(bytes, len);
    hurray_buffer_list_len(list, &count);
    for (uint64_t at = 0; at < count; at++) {
        HurrayBuffer *buffer = NULL;
        hurray_buffer_list_get(list, at, &buffer);
        print_buffer(at, buffer);
    }
    fflush(stdout);
    if (hurray_buffer_list_destroy(&list) != HURRAY_OK) return -4;
    return hurray_tensor_context_destroy(&context);
}

static HurrayBuffer *buffer_of(void *data, uint64_t size, uint8_t device, uint8_t sync, uint8_t memory) {
    HurrayBuffer *buffer = NULL;
    hurray_buffer_from_ptr(data, size, size ? 64 : 1, device, sync, memory, release_memory, NULL, &buffer);
    return buffer;
}

/* [[0, 1, 2], [3, 4, 5]] as float32, the descriptor written byte by byte (format: descriptor.md). */
static const uint8_t DESCRIPTOR[] = {
    'H', 'R', 'R', 'Y', 1, 0, 61, 0, 0, 0, 0, 0, 0, 0, 0x03, 0x01, 2, 0, 0, 0, /* header: float32, row-major, rank 2 */
    2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,                            /* shape */
    0, 0, 0, 0, 0, 0, 0, 0,                                                    /* byte_offset */
    1, 24, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0,                       /* one buffer of 24 bytes */
};

static void *numbers(void) {
    float *data = aligned_alloc(64, 64);
    for (int at = 0; at < 6; at++) data[at] = (float)at;
    return data;
}

static HurrayTensorContext *context_of(uint32_t version, const void *bytes, uint64_t len) {
    HurrayTensorContext *context = NULL;
    hurray_tensor_context_new(version, bytes, len, NULL, release_owner, &context);
    return context;
}

/* A capsule of C's own making. */
PyObject *peer_produce(uint8_t element_type) {
    uint8_t bytes[sizeof DESCRIPTOR];
    HurrayBufferList *list = NULL;
    memcpy(bytes, DESCRIPTOR, sizeof bytes);
    bytes[14] = element_type;
    hurray_buffer_list_new(1, &list);
    hurray_buffer_list_push(list, buffer_of(numbers(), 24, 0, 0, 0));
    return capsule_of(list, context_of(HURRAY_C_ABI_VERSION, bytes, sizeof bytes));
}

typedef struct {
    HurrayBufferList *list;
    HurrayTensorContext *context;
} Taken;

static void release_taken(void *owner) {
    Taken *taken = owner;
    hurray_buffer_list_destroy(&taken->list);
    hurray_tensor_context_destroy(&taken->context);
    free(taken);
    released++;
}

/* Takes a capsule and makes another of it, as a relay in C would: new handles over the same bytes. */
PyObject *peer_rewrap(PyObject *capsule) {
    Taken *kept = malloc(sizeof *kept);
    const uint8_t *bytes = NULL;
    uint64_t len = 0, count = 0;
    HurrayBufferList *list = NULL;
    HurrayTensorContext *context = NULL;
    if (taken(capsule, &kept->list, &kept->context) != 0) abort();
    hurray_tensor_context_descriptor(kept->context, &bytes, &len);
    hurray_buffer_list_len(kept->list, &count);
    hurray_buffer_list_new(count, &list);
    for (uint64_t at = 0; at < count; at++) {
        HurrayBuffer *from = NULL, *to = NULL;
        void *data = NULL;
        uint64_t size = 0;
        uint32_t alignment = 0;
        uint8_t device = 0, memory = 0, sync = 0;
        hurray_buffer_list_get(kept->list, at, &from);
        hurray_buffer_data_ptr(from, &data);
        hurray_buffer_byte_size(from, &size);
        hurray_buffer_alignment(from, &alignment);
        hurray_buffer_device_tag(from, &device);
        hurray_buffer_memory_class(from, &memory);
        hurray_buffer_sync_mode(from, &sync);
        hurray_buffer_from_ptr(data, size, alignment, device, sync, memory, NULL, NULL, &to);
        hurray_buffer_list_push(list, to);
    }
    hurray_tensor_context_new(HURRAY_C_ABI_VERSION, bytes, len, kept, release_taken, &context);
    return capsule_of(list, context);
}

/* A capsule with one fault. `bytes` replaces the descriptor where it is given. */
PyObject *peer_broken(const char *fault, const void *bytes, uint64_t len) {
    uint32_t version = HURRAY_C_ABI_VERSION;
    uint64_t size = 24, count = 1, shift = 0;
    uint8_t device = 0, sync = 0, memory = 0;
    HurrayBufferList *list = NULL;
    HurrayTensorContext *context = NULL;
    if (!strcmp(fault, "version")) version++;
    if (!strcmp(fault, "version 0")) version = 0;
    if (!strcmp(fault, "size")) size = 23;
    if (!strcmp(fault, "huge")) size = UINT64_MAX - 8;
    if (!strcmp(fault, "none")) count = 0;
    if (!strcmp(fault, "two")) count = 2;
    if (!strcmp(fault, "many")) count = 100000;
    if (!strcmp(fault, "device")) device = 1;
    if (!strcmp(fault, "class")) memory = 1;
    if (!strcmp(fault, "sync")) device = 1, sync = 1;
    if (!strcmp(fault, "stream")) device = 1, sync = 2;
    if (!strcmp(fault, "address")) shift = 8;
    hurray_buffer_list_new(count, &list);
    for (uint64_t at = 0; at < count; at++) {
        HurrayBuffer *buffer = NULL;
        uint8_t *data = numbers();
        hurray_buffer_from_ptr(data + shift, size, 64, device, sync, memory, shift ? NULL : release_memory, NULL, &buffer);
        if (shift) free(data); /* nobody may follow the address */
        hurray_buffer_list_push(list, buffer);
    }
    if (bytes == NULL && strcmp(fault, "no descriptor")) bytes = DESCRIPTOR, len = sizeof DESCRIPTOR;
    if (strcmp(fault, "no context")) context = context_of(version, bytes, len);
    PyObject *capsule = capsule_of(list, context);
    if (!strcmp(fault, "used")) PyCapsule_SetName(capsule, USED);
    if (!strcmp(fault, "name")) PyCapsule_SetName(capsule, "dltensor");
    if (!strcmp(fault, "no name")) PyCapsule_SetName(capsule, NULL);
    return capsule;
}
