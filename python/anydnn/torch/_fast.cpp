// SPDX-License-Identifier: Apache-2.0
// Kernels of operators of aten and of ours that repeat the work of the Python kernels, on torch's
// stable ABI. Python runs the first call of a kind, and states in a recipe which problems it ran on
// which operands. Equal calls then allocate the results and run these problems.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

using torch::stable::Tensor;
namespace stable = torch::stable::detail;
using Ints = std::vector<int64_t>;

namespace
{

constexpr int MOST_OPERANDS = 16, MOST_INPUTS = 8, MOST_STEPS = 4, MOST_COUNTERS = 4096;

// One problem. `slots` are indices into the inputs followed by the outputs. `within` holds the byte
// offset of each operand in its tensor.
struct Step {
    void *handle, *problem;
    uint64_t workspace;
    int count;
    int slots[MOST_OPERANDS];
    size_t within[MOST_OPERANDS];
};

// An output. One without dims was not requested.
struct Output {
    std::vector<int64_t> sizes, strides;
    int32_t type = 0;
    bool there = false;
};

struct Recipe {
    std::vector<Step> steps;
    std::vector<Output> outputs;
    std::array<bool, 2 * MOST_OPERANDS> written{};
    int counter = 0;
};

struct Hash {
    size_t operator()(const Ints &key) const
    {
        uint64_t sum = 14695981039346656037u;
        for (int64_t one : key)
            sum = (sum ^ (uint64_t)one) * 1099511628211u ^ sum >> 29;
        return (size_t)sum;
    }
};

struct Counter {
    std::atomic<int64_t> calls, nanoseconds;
};

int (*execute)(void *, void *, void *const *, void *, size_t);
int (*set_stream)(void *, void *);
AOTITorchError (*cuda_stream)(int32_t, void **);
Counter counters[MOST_COUNTERS];
// The state that Python's choices depend on: a number for the options in force, and one that grows
// when handles are destroyed.
std::atomic<int64_t> options, generation;
// Flags of the last forward: torch passes none to the gradient.
std::atomic<int64_t> flags;

thread_local std::unordered_map<Ints, Recipe, Hash> recipes;
thread_local int64_t recipes_of = -1;
thread_local std::optional<Recipe> offered;
// The message that the Python kernel raised. The stable ABI would pass on only that it failed.
thread_local std::optional<std::string> raised;

// A call: the key that distinguishes calls of an operator, and the first tensors of a recipe's
// slots.
struct Call {
    Ints key;
    std::array<AtenTensorHandle, MOST_INPUTS> inputs{};
    int count = 0;

    void add(const Tensor &tensor)
    {
        AtenTensorHandle handle = tensor.get();
        int64_t dims = 0, *sizes = nullptr, *strides = nullptr;
        int32_t type = 0, device = 0, index = 0, layout = 0;
        inputs.at((size_t)count++) = handle;
        aoti_torch_get_dim(handle, &dims);
        aoti_torch_get_dtype(handle, &type);
        aoti_torch_get_device_type(handle, &device);
        aoti_torch_get_device_index(handle, &index);
        aoti_torch_get_layout(handle, &layout);
        key.push_back(dims << 40 | (int64_t)type << 24 | device << 16 | layout << 8 |
                      (index & 255));
        if (layout != aoti_torch_layout_strided())
            return;
        aoti_torch_get_sizes(handle, &sizes);
        aoti_torch_get_strides(handle, &strides);
        key.insert(key.end(), sizes, sizes + dims);
        key.insert(key.end(), strides, strides + dims);
    }

    void add(const std::optional<Tensor> &tensor)
    {
        if (tensor && tensor->defined()) {
            add(*tensor);
            return;
        }
        key.push_back(-1);
        inputs.at((size_t)count++) = nullptr;
    }

    template <typename Number> void add(const std::vector<Number> &values)
    {
        key.push_back((int64_t)values.size());
        key.insert(key.end(), values.begin(), values.end());
    }

    void add(int64_t value)
    {
        key.push_back(value);
    }

    void add(bool value)
    {
        key.push_back(value);
    }

    void add(double value)
    {
        int64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        key.push_back(bits);
    }

    template <typename Value> void add(const std::optional<Value> &value)
    {
        key.push_back(value.has_value());
        if (value)
            add(*value);
    }
};

bool use_stream(void *handle, int32_t device, int32_t index)
{
    void *stream = nullptr;
    if (device == aoti_torch_device_type_cpu())
        return true;
    return !cuda_stream(index, &stream) && !set_stream(handle, stream);
}

// Stores the address of an input's elements. The request for a written input copies elements that
// the tensor shares until a write.
void input_at(AtenTensorHandle tensor, bool written, void *&at)
{
    const void *read = nullptr;
    if (written)
        torch_get_mutable_data_ptr(tensor, &at);
    else if (!torch_get_const_data_ptr(tensor, &read))
        at = const_cast<void *>(read);
}

// Creates a tensor and stores the address of its elements.
bool make(const Ints &sizes, const Ints &strides, int32_t type, int32_t device, int32_t index,
          std::optional<Tensor> &tensor, void *&at)
{
    AtenTensorHandle made = nullptr;
    if (aoti_torch_empty_strided((int64_t)sizes.size(), sizes.data(), strides.data(), type, device,
                                 index, &made))
        return false;
    tensor.emplace(made);
    return !aoti_torch_get_data_ptr(made, &at);
}

// Makes the outputs by the recipe. Returns false if a problem did not run, and Python must make the
// call.
bool repeat(const Recipe &recipe, const Call &call, std::vector<Tensor> &outputs)
{
    int32_t device = 0, index = 0;
    aoti_torch_get_device_type(call.inputs[0], &device);
    aoti_torch_get_device_index(call.inputs[0], &index);
    std::array<void *, 2 * MOST_OPERANDS> at{};
    std::optional<Tensor> made;
    for (int i = 0; i < call.count; i++)
        if (call.inputs[i])
            input_at(call.inputs[i], recipe.written[i], at[i]);
    outputs.reserve(recipe.outputs.size());
    for (size_t i = 0; i < recipe.outputs.size(); i++) {
        const Output &output = recipe.outputs[i];
        made.reset();
        if (output.there && !make(output.sizes, output.strides, output.type, device, index, made,
                                  at[call.count + i]))
            return false;
        outputs.push_back(made ? std::move(*made) : Tensor());
    }
    for (const Step &step : recipe.steps) {
        void *pointers[MOST_OPERANDS], *space = nullptr;
        for (int i = 0; i < step.count; i++)
            pointers[i] = (char *)at[step.slots[i]] + step.within[i];
        made.reset();
        if (step.workspace && !make({(int64_t)step.workspace}, {1}, aoti_torch_dtype_uint8(),
                                    device, index, made, space))
            return false;
        if (!use_stream(step.handle, device, index) ||
            execute(step.handle, step.problem, pointers, space, step.workspace))
            return false;
    }
    return true;
}

const Recipe *known(const Ints &key)
{
    if (recipes_of != generation.load(std::memory_order_relaxed)) {
        recipes.clear();
        recipes_of = generation.load(std::memory_order_relaxed);
    }
    auto found = recipes.find(key);
    return found == recipes.end() ? nullptr : &found->second;
}

// Returns the outputs of a known call, or nothing.
bool fast(const Call &call, std::vector<Tensor> &outputs)
{
    const Recipe *recipe = known(call.key);
    if (!recipe)
        return false;
    auto began = std::chrono::steady_clock::now();
    if (!repeat(*recipe, call, outputs)) {
        outputs.clear();
        return false;
    }
    Counter &counter = counters[recipe->counter];
    counter.calls.fetch_add(1, std::memory_order_relaxed);
    counter.nanoseconds.fetch_add((std::chrono::steady_clock::now() - began).count(),
                                  std::memory_order_relaxed);
    return true;
}

void ask_python(const char *name, StableIValue *stack)
{
    offered.reset();
    raised.reset();
    TORCH_ERROR_CODE_CHECK(torch_call_dispatcher(name, "", stack, TORCH_ABI_VERSION));
}

void learn(Ints &&key)
{
    if (raised)
        throw std::runtime_error(*raised);
    if (offered && recipes_of == generation.load(std::memory_order_relaxed))
        recipes[std::move(key)] = std::move(*offered);
    offered.reset();
}

// Converts arguments to the form of Python's operators: a list of bools becomes a list of ints.
template <typename Value> StableIValue passed(const Value &value)
{
    return stable::from(value);
}

StableIValue passed(const std::vector<bool> &values)
{
    return stable::from(Ints(values.begin(), values.end()));
}

StableIValue passed(const std::optional<Tensor> &tensor)
{
    return stable::from(tensor && tensor->defined() ? tensor : std::optional<Tensor>());
}

// The number of threads to which torch limits kernels of the CPU; 0 if torch does not report it.
int64_t threads()
{
    uint32_t count = 0;
    return torch_get_num_threads(&count) == 0 ? count : 0;
}

// A kernel with N results. Python's kernel follows its name in OPERATORS.
template <size_t N> using Results = std::array<Tensor, N>;

template <size_t N, typename... Arguments>
Results<N> results_of(int which, const char *python, const Arguments &...arguments)
{
    Call call;
    std::vector<Tensor> outputs;
    Results<N> results;
    call.key.reserve(96);
    call.key = {which, options.load(std::memory_order_relaxed),
                flags.load(std::memory_order_relaxed), threads()};
    (call.add(arguments), ...);
    if (fast(call, outputs)) {
        std::move(outputs.begin(), outputs.end(), results.begin());
        return results;
    }
    StableIValue stack[sizeof...(Arguments) > N ? sizeof...(Arguments) : N] = {
        passed(arguments)...};
    ask_python(python, stack);
    for (size_t i = 0; i < N; i++)
        results[i] = stable::to<Tensor>(stack[i]);
    learn(std::move(call.key));
    return results;
}

template <size_t N, size_t... I> auto tuple_of(Results<N> &&results, std::index_sequence<I...>)
{
    return std::make_tuple(std::move(results[I])...);
}

enum Operator {
    CONVOLUTION,
    CONVOLUTION_GRADIENT,
    CONVOLUTION_RELU,
    CONVOLUTION_RELU_GRADIENT,
    CONVOLUTION_EPILOGUE,
    CONVOLUTION_GRADIENT_ONTO,
    NORM,
    NORM_GRADIENT,
    CUDNN_NORM,
    CUDNN_NORM_GRADIENT,
    NORM_RELU,
    NORM_RELU_IN_PLACE,
    NORM_RELU_GRADIENT,
    NORM_RELU_IN_PLACE_GRADIENT,
    LAYER_NORM,
    LAYER_NORM_GRADIENT,
    GROUP_NORM,
    GROUP_NORM_GRADIENT,
    RMS_NORM,
    RMS_NORM_GRADIENT,
    GROUP_NORM_ACTIVE,
    GROUP_NORM_ACTIVE_GRADIENT,
    ADD_LAYER_NORM,
    ADD_LAYER_NORM_GRADIENT,
    PRODUCT,
    PRODUCTS,
    PRODUCT_SUM,
    PRODUCTS_SUM,
    LINEAR_ACTIVE,
    AVERAGE,
    AVERAGE_GRADIENT,
    MAXIMUM,
    MAXIMUM_GRADIENT,
    OPERATORS
};

extern const char *const python_names[OPERATORS];

template <Operator which, size_t N, typename... Arguments> auto kernel(Arguments... arguments)
{
    Results<N> results = results_of<N>(which, python_names[which], arguments...);
    if constexpr (N == 1)
        return std::move(results[0]);
    else
        return tuple_of<N>(std::move(results), std::make_index_sequence<N>());
}

using Maybe = std::optional<Tensor>;
using MaybeFloat = std::optional<double>;
using Bools = std::vector<bool>;

// The forward passes of convolutions get torch's flags, which the gradients use too.
Tensor convolution(Tensor x, Tensor w, Maybe bias, Ints stride, Ints padding, Ints dilation,
                   bool transposed, Ints output_padding, int64_t groups, bool benchmark,
                   bool deterministic, bool enabled, bool tf32)
{
    flags.store(benchmark | deterministic << 1 | (tf32 && enabled) << 2, std::memory_order_relaxed);
    return kernel<CONVOLUTION, 1>(x, w, bias, stride, padding, dilation, transposed, output_padding,
                                  groups, benchmark, deterministic, enabled, tf32);
}

Tensor convolution_relu(Tensor x, Tensor w, Tensor bias, int64_t number, int64_t bits)
{
    flags.store(bits, std::memory_order_relaxed);
    return kernel<CONVOLUTION_RELU, 1>(x, w, bias, number, bits);
}

Tensor convolution_epilogue(Tensor x, Tensor w, Maybe z, Tensor bias, int64_t number, int64_t bits)
{
    flags.store(bits, std::memory_order_relaxed);
    return kernel<CONVOLUTION_EPILOGUE, 1>(x, w, z, bias, number, bits);
}

constexpr auto convolution_gradient =
    &kernel<CONVOLUTION_GRADIENT, 3, Tensor, Tensor, Tensor, std::optional<Ints>, Ints, Ints, Ints,
            bool, Ints, int64_t, Bools>;
constexpr auto convolution_relu_gradient =
    &kernel<CONVOLUTION_RELU_GRADIENT, 3, Tensor, Tensor, Tensor, int64_t>;
constexpr auto convolution_gradient_onto =
    &kernel<CONVOLUTION_GRADIENT_ONTO, 2, Tensor, Tensor, Tensor, Tensor, int64_t>;
constexpr auto norm = &kernel<NORM, 3, Tensor, Maybe, Maybe, Maybe, Maybe, bool, double, double>;
constexpr auto norm_gradient = &kernel<NORM_GRADIENT, 3, Tensor, Tensor, Maybe, Maybe, Maybe, Maybe,
                                       Maybe, bool, double, Bools>;
constexpr auto cudnn_norm =
    &kernel<CUDNN_NORM, 4, Tensor, Tensor, Maybe, Maybe, Maybe, bool, double, double>;
constexpr auto cudnn_norm_gradient = &kernel<CUDNN_NORM_GRADIENT, 3, Tensor, Tensor, Tensor, Maybe,
                                             Maybe, Maybe, Maybe, double, Tensor>;
constexpr auto norm_relu = &kernel<NORM_RELU, 6, Tensor, Maybe, Tensor, Tensor, double, MaybeFloat>;
constexpr auto norm_relu_in_place =
    &kernel<NORM_RELU_IN_PLACE, 2, Tensor, Maybe, Tensor, Tensor, Tensor, Tensor, int64_t>;
constexpr auto norm_relu_gradient = &kernel<NORM_RELU_GRADIENT, 4, Tensor, Tensor, Tensor, Tensor,
                                            Tensor, Tensor, double, MaybeFloat, bool>;
constexpr auto norm_relu_in_place_gradient =
    &kernel<NORM_RELU_IN_PLACE_GRADIENT, 4, Tensor, Tensor, Tensor, Tensor, int64_t>;
constexpr auto layer_norm = &kernel<LAYER_NORM, 3, Tensor, Ints, Maybe, Maybe, double>;
constexpr auto layer_norm_gradient =
    &kernel<LAYER_NORM_GRADIENT, 3, Tensor, Tensor, Ints, Tensor, Tensor, Maybe, Maybe, Bools>;
constexpr auto group_norm =
    &kernel<GROUP_NORM, 3, Tensor, Maybe, Maybe, int64_t, int64_t, int64_t, int64_t, double>;
constexpr auto group_norm_gradient = &kernel<GROUP_NORM_GRADIENT, 3, Tensor, Tensor, Tensor, Tensor,
                                             Maybe, int64_t, int64_t, int64_t, int64_t, Bools>;

// Operators of ours for normalizations have the same arguments: x, z, scale, bias, and a number.
template <Operator which>
constexpr auto numbered_norm = &kernel<which, 4, Tensor, Maybe, Maybe, Maybe, int64_t>;
template <Operator which>
constexpr auto numbered_norm_gradient =
    &kernel<which, 3, Tensor, Maybe, Tensor, Maybe, Maybe, Maybe, Tensor, int64_t>;

constexpr auto product = &kernel<PRODUCT, 1, Tensor, Tensor>;
constexpr auto products = &kernel<PRODUCTS, 1, Tensor, Tensor>;
constexpr auto product_sum = &kernel<PRODUCT_SUM, 1, Tensor, Tensor, Tensor, int64_t>;
constexpr auto products_sum = &kernel<PRODUCTS_SUM, 1, Tensor, Tensor, Tensor, int64_t>;
constexpr auto linear_active = &kernel<LINEAR_ACTIVE, 2, Tensor, Tensor, Tensor, int64_t>;
constexpr auto average =
    &kernel<AVERAGE, 1, Tensor, Ints, Ints, Ints, bool, bool, std::optional<int64_t>>;
constexpr auto average_gradient = &kernel<AVERAGE_GRADIENT, 1, Tensor, Tensor, Ints, Ints, Ints,
                                          bool, bool, std::optional<int64_t>>;
constexpr auto maximum = &kernel<MAXIMUM, 1, Tensor, int64_t>;
constexpr auto maximum_gradient = &kernel<MAXIMUM_GRADIENT, 1, Tensor, Tensor, Tensor, int64_t>;

// The name of each kernel in aten or in our own namespace. Python's operator follows "slow_".
const char *const python_names[OPERATORS] = {
    "anydnn::slow__convolution",
    "anydnn::slow_convolution_backward",
    "anydnn::slow_convolution_relu_numbered",
    "anydnn::slow_convolution_relu_backward_numbered",
    "anydnn::slow_convolution_epilogue",
    "anydnn::slow_convolution_backward_onto",
    "anydnn::slow_native_batch_norm",
    "anydnn::slow_native_batch_norm_backward",
    "anydnn::slow_cudnn_batch_norm",
    "anydnn::slow_cudnn_batch_norm_backward",
    "anydnn::slow_batch_norm_relu",
    "anydnn::slow_batch_norm_relu_",
    "anydnn::slow_batch_norm_relu_backward",
    "anydnn::slow_batch_norm_relu_backward_",
    "anydnn::slow_native_layer_norm",
    "anydnn::slow_native_layer_norm_backward",
    "anydnn::slow_native_group_norm",
    "anydnn::slow_native_group_norm_backward",
    "anydnn::slow_rms_norm_numbered",
    "anydnn::slow_rms_norm_backward_numbered",
    "anydnn::slow_group_norm_active_numbered",
    "anydnn::slow_group_norm_active_backward_numbered",
    "anydnn::slow_add_layer_norm_numbered",
    "anydnn::slow_add_layer_norm_backward_numbered",
    "anydnn::slow_mm",
    "anydnn::slow_bmm",
    "anydnn::slow_addmm_numbered",
    "anydnn::slow_baddbmm_numbered",
    "anydnn::slow_linear_active_numbered",
    "anydnn::slow_avg_pool2d",
    "anydnn::slow_avg_pool2d_backward",
    "anydnn::slow_max_pool2d_numbered",
    "anydnn::slow_max_pool2d_backward_numbered",
};
void (*const boxed[OPERATORS])(StableIValue *, uint64_t, uint64_t) = {
    TORCH_BOX(&convolution),
    TORCH_BOX(convolution_gradient),
    TORCH_BOX(&convolution_relu),
    TORCH_BOX(convolution_relu_gradient),
    TORCH_BOX(&convolution_epilogue),
    TORCH_BOX(convolution_gradient_onto),
    TORCH_BOX(norm),
    TORCH_BOX(norm_gradient),
    TORCH_BOX(cudnn_norm),
    TORCH_BOX(cudnn_norm_gradient),
    TORCH_BOX(norm_relu),
    TORCH_BOX(norm_relu_in_place),
    TORCH_BOX(norm_relu_gradient),
    TORCH_BOX(norm_relu_in_place_gradient),
    TORCH_BOX(layer_norm),
    TORCH_BOX(layer_norm_gradient),
    TORCH_BOX(group_norm),
    TORCH_BOX(group_norm_gradient),
    TORCH_BOX(numbered_norm<RMS_NORM>),
    TORCH_BOX(numbered_norm_gradient<RMS_NORM_GRADIENT>),
    TORCH_BOX(numbered_norm<GROUP_NORM_ACTIVE>),
    TORCH_BOX(numbered_norm_gradient<GROUP_NORM_ACTIVE_GRADIENT>),
    TORCH_BOX(numbered_norm<ADD_LAYER_NORM>),
    TORCH_BOX(numbered_norm_gradient<ADD_LAYER_NORM_GRADIENT>),
    TORCH_BOX(product),
    TORCH_BOX(products),
    TORCH_BOX(product_sum),
    TORCH_BOX(products_sum),
    TORCH_BOX(linear_active),
    TORCH_BOX(average),
    TORCH_BOX(average_gradient),
    TORCH_BOX(maximum),
    TORCH_BOX(maximum_gradient),
};

void after_fork()
{
    generation.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

extern "C" {

// Stores the entries of libanydnn. It is called once.
void anydnn_torch_start(void *execute_entry, void *set_stream_entry)
{
    execute = (int (*)(void *, void *, void *const *, void *, size_t))execute_entry;
    set_stream = (int (*)(void *, void *))set_stream_entry;
    // torch's libraries are not in the global scope.
    if (void *torch_cuda = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD))
        cuda_stream = (AOTITorchError(*)(int32_t, void **))dlsym(
            torch_cuda, "aoti_torch_get_current_cuda_stream");
    pthread_atfork(nullptr, nullptr, after_fork);
}

// Puts the kernel of an operator, given by namespace ("aten" or "anydnn") and name, at a key.
// Returns the argument of anydnn_torch_take, or NULL if there is no such kernel or torch's stream
// cannot be queried.
void *anydnn_torch_put(const char *space, const char *name, const char *key)
{
    TorchLibraryHandle library = nullptr;
    int which = 0;
    while (which < OPERATORS && strcmp(python_names[which] + strlen("anydnn::slow_"), name))
        which++;
    if (which == OPERATORS || (strstr(key, "CUDA") && !cuda_stream) ||
        aoti_torch_library_init_impl(space, key, __FILE__, __LINE__, &library))
        return nullptr;
    if (torch_library_impl(library, name, boxed[which], TORCH_ABI_VERSION)) {
        aoti_torch_delete_library_object(library);
        return nullptr;
    }
    return library;
}

void anydnn_torch_take(void *library)
{
    aoti_torch_delete_library_object((TorchLibraryHandle)library);
}

void anydnn_torch_options(int64_t number)
{
    options.store(number);
}

// Discards all recipes, before a handle is destroyed.
void anydnn_torch_forget(void)
{
    generation.fetch_add(1);
}

int64_t anydnn_torch_flags(void)
{
    return flags.load();
}

// Stores the recipe of the call that Python has just run in this thread. The recipe consists of
// numbers: counter, outputs (dims or -1, type, sizes, strides), steps (handle, problem, workspace,
// operands, slots, byte offsets). A slot is twice its index, plus one if it is written.
void anydnn_torch_offer(const int64_t *at)
{
    Recipe recipe;
    recipe.counter = (int)*at++ % MOST_COUNTERS;
    recipe.outputs.resize((size_t)*at++);
    for (Output &output : recipe.outputs) {
        int64_t dims = *at++;
        output.there = dims >= 0;
        if (!output.there)
            continue;
        output.type = (int32_t)*at++;
        output.sizes.assign(at, at + dims);
        output.strides.assign(at + dims, at + 2 * dims);
        at += 2 * dims;
    }
    recipe.steps.resize((size_t)*at++);
    for (Step &step : recipe.steps) {
        step.handle = (void *)*at++;
        step.problem = (void *)*at++;
        step.workspace = (uint64_t)*at++;
        step.count = (int)*at++;
        for (int i = 0; i < step.count; i++) {
            step.slots[i] = (int)(*at >> 1);
            recipe.written[(size_t)step.slots[i]] |= *at++ & 1;
            step.within[i] = (size_t)*at++;
        }
    }
    offered = std::move(recipe);
}

// Stores the exception of the call that Python has just run in this thread.
void anydnn_torch_raise(const char *said)
{
    raised = said;
}

// Returns the calls and nanoseconds of a counter, and resets it.
void anydnn_torch_count(int counter, int64_t *calls, int64_t *nanoseconds)
{
    *calls = counters[counter].calls.exchange(0);
    *nanoseconds = counters[counter].nanoseconds.exchange(0);
}
}
