"""What a student may name that leads to nothing but elementary operations: see resting.py."""

from __future__ import annotations

import ast
import builtins

NODES = (
    *(ast.Module, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass),
    *(ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.arguments, ast.arg, ast.Return, ast.keyword),
    *(ast.For, ast.While, ast.If, ast.With, ast.withitem, ast.Break, ast.Continue, ast.Raise),
    *(ast.Try, ast.ExceptHandler, ast.Assert, ast.Yield, ast.YieldFrom, ast.alias),
    *(ast.Import, ast.ImportFrom, ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.IfExp),
    *(ast.Dict, ast.Set, ast.List, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp),
    *(ast.GeneratorExp, ast.comprehension, ast.Compare, ast.Call, ast.JoinedStr, ast.Starred),
    *(ast.FormattedValue, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Name),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
)
# Modules of which a cell may take elementary operations: all are loaded before it runs, so that no
# file beside the notebook takes their place.
MODULES = frozenset("torch torch.nn torch.nn.functional math numpy itertools".split())
BUILTINS = frozenset(
    """
    abs all any bool dict divmod enumerate filter float frozenset int isinstance iter len list
    map max min next object pow print range repr reversed round set slice sorted staticmethod
    str sum tuple zip True False None ValueError TypeError RuntimeError IndexError KeyError
    AssertionError Exception NotImplementedError StopIteration ZeroDivisionError ord chr id
    bytes issubclass callable super
    """.split()
)
# Attributes, and names to be imported: of tensors, modules, lists and texts.
ELEMENTARY = frozenset(
    """
    nn functional init linalg special inf pi e nan dtype device shape ndim dim size numel
    nelement T mT data grad requires_grad requires_grad_ is_leaf item tolist numpy detach clone
    copy copy_ contiguous to cpu float double long int bool type_as float32 float64 int32 int64
    finfo eps Tensor tensor as_tensor from_numpy zeros ones empty full eye arange linspace
    zeros_like ones_like empty_like full_like new_zeros new_ones new_empty new_full new_tensor
    rand randn randint randperm rand_like randn_like normal multinomial manual_seed
    initial_seed Generator no_grad enable_grad inference_mode is_grad_enabled set_grad_enabled
    backward zero_grad autograd jacobian hessian vjp jvp func jacrev jacfwd vmap saved_tensors
    save_for_backward abs add addcmul addmm addmv amax amin aminmax all any argmax argmin
    argsort baddbmm bmm cat chunk clamp clamp_min clamp_max count_nonzero cumsum cumprod diag
    diag_embed diagonal div dot einsum equal erf exp expand expand_as expm1 flatten flip floor
    fmod gather ge gt hypot index_add index_select isfinite isnan isinf le lerp log log1p log2
    log10 logsumexp lt masked_fill masked_select matmul max maximum mean median min minimum mm
    movedim mul mv narrow ne neg nonzero norm matrix_norm vector_norm nan_to_num one_hot outer
    permute pow prod ravel reciprocal relu repeat repeat_interleave reshape roll round rsqrt
    scatter select sigmoid sign sin cos sort split sqrt square squeeze stack std std_mean sub
    sum swapaxes swapdims t take tanh tensordot topk transpose tril triu tril_indices
    triu_indices true_divide unbind unflatten unsqueeze var var_mean vdot view view_as vsplit
    vstack hstack where cosh sinh svd svdvals eigvalsh cond trace multiply subtract divide add_
    sub_ mul_ div_ zero_ fill_ clamp_ relu_ tanh_ exp_ sqrt_ masked_fill_ index_add_ scatter_
    scatter_add_ unsqueeze_ squeeze_ normal_ uniform_ ones_ zeros_ constant_ kaiming_normal_
    kaiming_uniform_ xavier_normal_ xavier_uniform_ Module ModuleList ModuleDict Sequential
    Parameter Linear Embedding Identity Flatten ReLU Tanh GELU Sigmoid Dropout Conv2d
    BatchNorm1d BatchNorm2d LayerNorm MaxPool2d AvgPool2d AdaptiveAvgPool2d linear gelu pad
    dropout embedding conv2d layer_norm batch_norm softmax log_softmax max_pool2d avg_pool2d
    adaptive_avg_pool2d weight bias training train eval parameters named_parameters modules
    children named_modules named_children buffers named_buffers register_buffer
    register_parameter add_module running_mean running_var num_batches_tracked momentum
    num_features affine in_features out_features in_channels out_channels kernel_size stride
    padding dilation groups num_embeddings embedding_dim reset_parameters reset_running_stats
    batches contexts targets append extend insert pop remove reverse index count join strip
    replace startswith endswith lower upper find keys values items get setdefault update clear
    fromkeys chain islice product accumulate cycle pairwise takewhile fsum isqrt comb gcd ceil
    isclose mse_loss nll_loss
    """.split()
)
# What an operation is put together from, where it would be seen at work.
CONSISTS_OF = {"cross_entropy": "log_softmax"}
# What IPython and the grader put beside a notebook's names.
_BESIDE = frozenset({"get_ipython", "In", "Out", "exit", "quit", "open", "display"})
HIDDEN = (frozenset(dir(builtins)) | _BESIDE) - BUILTINS
