// SPDX-License-Identifier: Apache-2.0
// Autograd nodes for our operators in eager mode. They do the work of the Functions of _eager.py in
// less host time. The file needs torch's full headers, so it serves only the torch it was built
// for.
#include <ATen/PythonTorchFunctionTLS.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/hardtanh_backward.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <cstring>

using at::Tensor;
using Tensors = std::vector<Tensor>;
using torch::autograd::Node;
using torch::autograd::SavedVariable;

namespace
{

// The arguments after a call's operands: the number of its parameters, and further ones of
// convolutions.
struct Call {
    int64_t number = 0, flags = 0;
    std::optional<double> ceiling;
};

// The rule of one of our operators. Gradients go to the first `inputs` of its `operands`. Its
// gradient reads `kept`, and y has the shape of operand `like`. If the rule is masked, the
// gradient's number is the call's plus bit i for each input i that requires one.
struct Rule {
    const char *name, *node;
    size_t operands, inputs, like;
    bool masked;
    Tensor (*forward)(const Tensors &operands, const Call &call, Tensors &kept);
    Tensors (*gradient)(const Tensor &dy, const Tensors &kept, const Call &call);
    // Python objects: the Function, and the differentiable gradient.
    PyObject *function, *twice;
};

template <typename Signature> auto operator_of(const char *name)
{
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

using Maybe = std::optional<Tensor>;
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Four = std::tuple<Tensor, Tensor, Tensor, Tensor>;
using TensorRef = const Tensor &;

// Returns a gradient in the layout of a packed tensor.
Tensor laid(const Tensor &dy, const Tensor &like)
{
    if (dy.strides() == like.strides())
        return dy;
    at::MemoryFormat last =
        like.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
    bool is_last = !like.is_contiguous() && like.is_contiguous(last);
    return dy.contiguous(is_last ? last : at::MemoryFormat::Contiguous);
}

Tensor norm_relu(const Tensors &given, const Call &call, Tensors &kept)
{
    static const auto run =
        operator_of<Two(TensorRef, const Maybe &, TensorRef, TensorRef, TensorRef, TensorRef, int64_t)>(
            "anydnn::batch_norm_relu_");
    Maybe z = given[1].defined() ? Maybe(given[1]) : Maybe();
    auto [y, saved] = run.call(given[0], z, given[2], given[3], given[4], given[5], call.number);
    kept = {given[0], given[2], saved};
    return y;
}

Tensors norm_relu_gradient(const Tensor &dy, const Tensors &kept, const Call &call)
{
    static const auto run =
        operator_of<Four(TensorRef, TensorRef, TensorRef, TensorRef, int64_t)>("anydnn::batch_norm_relu_backward_");
    auto [dx, dz, dweight, dbias] =
        run.call(laid(dy, kept[0]), kept[0], kept[1], kept[2], call.number);
    return {dx, dz, dweight, dbias};
}

Tensor conv_relu(const Tensors &given, const Call &call, Tensors &kept)
{
    static const auto run =
        operator_of<Tensor(TensorRef, TensorRef, TensorRef, int64_t, int64_t)>("anydnn::convolution_relu_numbered");
    Tensor y = run.call(given[0], given[1], given[2], call.number, call.flags);
    kept = {given[0], given[1], y};
    return y;
}

Tensors conv_relu_gradient(const Tensor &dy, const Tensors &kept, const Call &call)
{
    static const auto run =
        operator_of<Three(TensorRef, TensorRef, TensorRef, int64_t)>("anydnn::convolution_relu_backward_numbered");
    Tensor passed = call.ceiling ? at::hardtanh_backward(dy, kept[2], 0.0, *call.ceiling)
                                 : at::threshold_backward(dy, kept[2], 0);
    auto [dx, dw, dbias] = run.call(passed, kept[0], kept[1], call.number);
    return {dx, dw, dbias};
}

Tensor max_pool(const Tensors &given, const Call &call, Tensors &kept)
{
    static const auto run = operator_of<Tensor(TensorRef, int64_t)>("anydnn::max_pool2d_numbered");
    Tensor y = run.call(given[0], call.number);
    kept = {given[0], y};
    return y;
}

Tensors max_pool_gradient(const Tensor &dy, const Tensors &kept, const Call &call)
{
    static const auto run =
        operator_of<Tensor(TensorRef, TensorRef, TensorRef, int64_t)>("anydnn::max_pool2d_backward_numbered");
    return {run.call(laid(dy, kept[1]), kept[0], kept[1], call.number)};
}

Rule rules[] = {
    {"norm_relu", "_NormReluBackward", 6, 4, 0, false, norm_relu, norm_relu_gradient, nullptr,
     nullptr},
    {"conv_relu", "_ConvReluBackward", 3, 3, 2, true, conv_relu, conv_relu_gradient, nullptr,
     nullptr},
    {"max_pool", "MaxPoolBackward", 1, 1, 1, false, max_pool, max_pool_gradient, nullptr, nullptr},
};

// Computes the differentiable gradient with torch's operators, in Python.
Tensors gradient_twice(const Rule &rule, const Tensor &dy, const Tensors &kept, const Call &call)
{
    pybind11::gil_scoped_acquire held;
    pybind11::list arguments;
    arguments.append(pybind11::reinterpret_steal<pybind11::object>(THPVariable_Wrap(dy)));
    for (const Tensor &one : kept)
        arguments.append(pybind11::reinterpret_steal<pybind11::object>(THPVariable_Wrap(one)));
    arguments.append(call.number);
    auto found = pybind11::reinterpret_steal<pybind11::object>(
        PyObject_CallObject(rule.twice, pybind11::tuple(arguments).ptr()));
    if (!found) {
        python_error error;
        error.persist();
        throw error;
    }
    Tensors results;
    for (pybind11::handle one : pybind11::tuple(found))
        results.push_back(one.is_none() ? Tensor() : THPVariable_Unpack(one.ptr()));
    return results;
}

Tensors gradient_of(const Rule &rule, const Tensors &grads, const Tensors &kept, Call call,
                    int64_t wanted)
{
    call.number += rule.masked ? wanted : 0;
    Tensor dy = grads[0].defined() ? grads[0] : at::zeros_like(kept[rule.like]);
    Tensors results;
    if (at::GradMode::is_enabled()) {
        results = gradient_twice(rule, dy, kept, call);
    } else {
        at::AutoDispatchBelowADInplaceOrView below;
        results = rule.gradient(dy, kept, call);
    }
    for (size_t i = 0; i < results.size(); i++)
        if (!(wanted >> i & 1))
            results[i].reset();
    return results;
}

// The type in which this torch holds nodes: std::shared_ptr, in later versions c10::intrusive_ptr.
using Held = decltype(torch::autograd::Edge::function);

template <typename Holder, typename Kind> Holder held_new(Kind *node)
{
    if constexpr (std::is_same_v<Holder, std::shared_ptr<Node>>)
        return Holder(node, [](Kind *one) { deleteNode(one); });
    else
        return Holder::unsafe_steal_from_new(node);
}

template <typename Holder, typename Kind> Holder held_again(Kind *node)
{
    if constexpr (std::is_same_v<Holder, std::shared_ptr<Node>>)
        return node->shared_from_this();
    else
        return Holder::reclaim_copy(node);
}

struct Gradient : Node {
    const Rule &rule;
    Call call;
    std::vector<SavedVariable> kept;

    Gradient(const Rule &of, const Call &with) : rule(of), call(with)
    {
    }

    std::string name() const override
    {
        return rule.node;
    }

    Tensors apply(Tensors &&grads) override
    {
        return gradient_of(rule, grads, unpacked(), call, wanted());
    }

    void release_variables() override
    {
        std::lock_guard<std::mutex> lock(mutex_);
        for (SavedVariable &one : kept)
            one.reset_data();
    }

    Tensors unpacked()
    {
        std::lock_guard<std::mutex> lock(mutex_);
        Tensors found;
        found.reserve(kept.size());
        for (SavedVariable &one : kept)
            found.push_back(one.unpack(held_again<Held>(this)));
        return found;
    }

    int64_t wanted() const
    {
        int64_t bits = 0;
        for (size_t i = 0; i < rule.inputs; i++)
            bits |= (int64_t)task_should_compute_output(i) << i;
        return bits;
    }

    // Methods for compiled autograd: the values that distinguish graphs, and a call that stays one
    // node.
    void compiled_args(torch::dynamo::autograd::CompiledNodeArgs &args) const override
    {
        args.collect(std::string(rule.node));
        args.collect(call.number);
        args.collect(call.ceiling);
        args.collect(wanted());
        for (size_t i = 0; i < kept.size(); i++)
            args.collect(kept[i], rule.like > 0 && i == rule.like);
    }

    Tensors apply_with_saved(const Tensors &grads,
                             torch::dynamo::autograd::SwapSavedVariables &saved) override
    {
        namespace compiled = torch::dynamo::autograd;
        for (SavedVariable &one : kept)
            saved.before(one);
        std::vector<c10::IValue> values;
        for (const Tensor &one : unpacked())
            values.emplace_back(one);
        auto run = [&of = rule, with = call, bits = wanted()](const Tensors &given,
                                                              const std::vector<c10::IValue> &all) {
            Tensors tensors;
            for (const c10::IValue &one : all)
                tensors.push_back(one.toTensor());
            return gradient_of(of, given, tensors, with, bits);
        };
        const auto &python = compiled::getPyCompilerInterface();
        std::string bound = python->bind_function(
            saved.get_py_compiler(), rule.node, run,
            std::vector<at::TypePtr>(values.size(), at::TensorType::get()), true, false);
        auto metadata =
            compiled::IValuePacker<std::vector<std::optional<torch::autograd::InputMetadata>>>::
                pack(compiled::get_input_metadata(next_edges()));
        Tensors results = python->call_function(saved.get_py_compiler(), "apply_functional", bound,
                                                grads, values, metadata);
        for (SavedVariable &one : kept)
            saved.after(one);
        return results;
    }
};

Tensor run(const Rule &rule, const Tensors &given, const Call &call)
{
    bool differentiable = false;
    for (size_t i = 0; i < rule.inputs; i++)
        differentiable |= given[i].defined() && given[i].requires_grad();
    Tensors kept;
    Tensor y;
    {
        at::AutoDispatchBelowADInplaceOrView below;
        y = rule.forward(given, call, kept);
    }
    if (!differentiable || !at::GradMode::is_enabled())
        return y;
    auto *node = new Gradient(rule, call);
    Held held = held_new<Held>(node);
    Tensors inputs(given.begin(), given.begin() + (ptrdiff_t)rule.inputs);
    node->set_next_edges(torch::autograd::collect_next_edges(inputs));
    torch::autograd::set_history(y, held);
    node->kept.reserve(kept.size());
    for (const Tensor &one : kept)
        node->kept.emplace_back(one, one.is_same(y));
    return y;
}

// Returns whether no Python code intercepts the call: a subclass of Tensor, or a mode.
bool plain(PyObject *const *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arguments[i] != Py_None && !THPVariable_CheckExact(arguments[i]))
            return false;
    return !at::impl::torch_function_mode_enabled();
}

// An entry for Python. It takes operands, the number of the parameters and, for convolutions, flags
// and the activation's ceiling.
template <size_t which> PyObject *entry(PyObject *, PyObject *const *arguments, Py_ssize_t given)
{
    HANDLE_TH_ERRORS
    const Rule &rule = rules[which];
    size_t count = (size_t)given, first = rule.operands;
    // TORCH_CHECK is avoided: on one machine it crashed after a newer compiler had built this file.
    if (!rule.function || (count != first + 1 && count != first + 3))
        return PyErr_Format(PyExc_RuntimeError, "%s: got %zd arguments", rule.name, given);
    if (!plain(arguments, first))
        return PyObject_Vectorcall(rule.function, arguments, count, nullptr);
    Tensors operands(first);
    for (size_t i = 0; i < first; i++)
        if (arguments[i] != Py_None)
            operands[i] = THPVariable_Unpack(arguments[i]);
    Call call;
    call.number = PyLong_AsLongLong(arguments[first]);
    if (count == first + 3) {
        call.flags = PyLong_AsLongLong(arguments[first + 1]);
        if (arguments[first + 2] != Py_None)
            call.ceiling = PyFloat_AsDouble(arguments[first + 2]);
    }
    if (PyErr_Occurred())
        return nullptr;
    Tensor y;
    {
        pybind11::gil_scoped_release released;
        y = run(rule, operands, call);
    }
    return THPVariable_Wrap(std::move(y));
    END_HANDLE_TH_ERRORS
}

// start(name, function, twice)
PyObject *start(PyObject *, PyObject *const *arguments, Py_ssize_t count)
{
    const char *name = count == 3 ? PyUnicode_AsUTF8(arguments[0]) : nullptr;
    for (Rule &rule : rules)
        if (name && !strcmp(name, rule.name)) {
            rule.function = Py_NewRef(arguments[1]);
            rule.twice = Py_NewRef(arguments[2]);
            Py_RETURN_NONE;
        }
    PyErr_SetString(PyExc_TypeError, "start takes the name of a rule, a Function and a gradient");
    return nullptr;
}

template <PyObject *(*function)(PyObject *, PyObject *const *, Py_ssize_t)>
constexpr PyMethodDef method(const char *name)
{
    return {name, (PyCFunction)(void *)function, METH_FASTCALL, nullptr};
}

PyMethodDef methods[] = {method<start>("start"),
                         method<entry<0>>("norm_relu"),
                         method<entry<1>>("conv_relu"),
                         method<entry<2>>("max_pool"),
                         {}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_node", nullptr, -1, methods};

} // namespace

PyMODINIT_FUNC PyInit_anydnn_torch_node()
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "torch", ANYDNN_TORCH)) {
        Py_DECREF(module);
        return nullptr;
    }
    return module;
}
