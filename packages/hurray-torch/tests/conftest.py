"""PyTorch warns where NumPy is missing, which these tests do without: imported here once, its warnings apart."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import torch

    # What PyTorch announces once in a process: beta, experimental, unchecked or slow.
    torch.empty(1, dtype=torch.complex32)
    torch.sparse_coo_tensor(torch.tensor([[0]]), torch.ones(1), (1,))
    torch.nested.nested_tensor([torch.ones(1)])
    torch.quantize_per_tensor(torch.ones(1), 0.1, 0, torch.quint8)
    torch.eye(1).to_sparse_csr()
    torch.eye(1).to_sparse_csc()
    torch.eye(2).to_sparse_bsr((1, 1))
