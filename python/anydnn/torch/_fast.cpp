// SPDX-License-Identifier: Apache-2.0
// Kernels of aten::_convolution and aten::convolution_backward that repeat what the Python kernels
// did, on torch's stable ABI. The first call of a kind goes to Python, which says in a recipe which
// problems it ran on which operands; equal calls then allocate the results and run these problems.
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
#include <vector>

using torch::stable::Tensor;
namespace stable = torch::stable::detail;
using Ints = std::vector<int64_t>;

namespace
{

constexpr int MOST_OPERANDS = 8, MOST_STEPS = 4, MOST_COUNTERS = 4096;

// One problem: `slots` are places among the inputs and, behind them, the outputs.
struct Step {
    void *handle, *problem;
    uint64_t workspace;
    int count;
    int slots[MOST_OPERANDS];
};

// An output without dims is one that was not asked for.
struct Output {
    std::vector<int64_t> sizes, strides;
    bool there = false;
};

struct Recipe {
    std::vector<Step> steps;
    std::vector<Output> outputs;
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
// What Python's choices depend on: a number for the options in force, and one that grows when
// handles go.
std::atomic<int64_t> options, generation;
// Flags of the last forward: torch passes none to the gradient.
std::atomic<int64_t> flags;

thread_local std::unordered_map<Ints, Recipe, Hash> recipes;
thread_local int64_t recipes_of = -1;
thread_local std::optional<Recipe> offered;
// What the Python kernel raised: the stable ABI would pass on that it failed, and not its sentence.
thread_local std::optional<std::string> raised;

void add_tensor(Ints &key, const Tensor &tensor)
{
    AtenTensorHandle handle = tensor.get();
    int64_t dims = 0, *sizes = nullptr, *strides = nullptr;
    int32_t type = 0, device = 0, index = 0, layout = 0;
    aoti_torch_get_dim(handle, &dims);
    aoti_torch_get_dtype(handle, &type);
    aoti_torch_get_device_type(handle, &device);
    aoti_torch_get_device_index(handle, &index);
    aoti_torch_get_layout(handle, &layout);
    key.push_back(dims << 40 | (int64_t)type << 24 | device << 16 | layout << 8 | (index & 255));
    if (layout != aoti_torch_layout_strided())
        return;
    aoti_torch_get_sizes(handle, &sizes);
    aoti_torch_get_strides(handle, &strides);
    key.insert(key.end(), sizes, sizes + dims);
    key.insert(key.end(), strides, strides + dims);
}

void add_ints(Ints &key, const Ints &values)
{
    key.push_back((int64_t)values.size());
    key.insert(key.end(), values.begin(), values.end());
}

void use_stream(void *handle, int32_t device, int32_t index)
{
    void *stream = nullptr;
    if (device != aoti_torch_device_type_cpu() && cuda_stream && !cuda_stream(index, &stream))
        set_stream(handle, stream);
}

// The outputs by the recipe; false where a problem did not run, and the call must be made by
// Python.
bool repeat(const Recipe &recipe, const Tensor *const *inputs, int count,
            std::vector<Tensor> &outputs)
{
    int32_t type = 0, device = 0, index = 0;
    AtenTensorHandle first = inputs[0]->get();
    aoti_torch_get_dtype(first, &type);
    aoti_torch_get_device_type(first, &device);
    aoti_torch_get_device_index(first, &index);
    std::array<void *, 2 * MOST_OPERANDS> at{};
    for (int i = 0; i < count; i++)
        if (inputs[i])
            aoti_torch_get_data_ptr(inputs[i]->get(), &at[i]);
    for (size_t i = 0; i < recipe.outputs.size(); i++) {
        const Output &output = recipe.outputs[i];
        if (!output.there) {
            outputs.emplace_back();
            continue;
        }
        AtenTensorHandle made = nullptr;
        if (aoti_torch_empty_strided((int64_t)output.sizes.size(), output.sizes.data(),
                                     output.strides.data(), type, device, index, &made))
            return false;
        outputs.emplace_back(made);
        aoti_torch_get_data_ptr(made, &at[count + i]);
    }
    for (const Step &step : recipe.steps) {
        void *pointers[MOST_OPERANDS], *space = nullptr;
        for (int i = 0; i < step.count; i++)
            pointers[i] = at[step.slots[i]];
        std::optional<Tensor> workspace;
        if (step.workspace) {
            AtenTensorHandle made = nullptr;
            const int64_t size = (int64_t)step.workspace, one = 1;
            if (aoti_torch_empty_strided(1, &size, &one, aoti_torch_dtype_uint8(), device, index,
                                         &made))
                return false;
            workspace.emplace(made);
            aoti_torch_get_data_ptr(made, &space);
        }
        use_stream(step.handle, device, index);
        if (execute(step.handle, step.problem, pointers, space, step.workspace))
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

// The outputs of a known call, or nothing.
bool fast(const Ints &key, const Tensor *const *inputs, int count, std::vector<Tensor> &outputs)
{
    const Recipe *recipe = known(key);
    if (!recipe)
        return false;
    auto began = std::chrono::steady_clock::now();
    if (!repeat(*recipe, inputs, count, outputs)) {
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

Tensor convolution(Tensor x, Tensor w, std::optional<Tensor> bias, Ints stride, Ints padding,
                   Ints dilation, bool transposed, Ints output_padding, int64_t groups,
                   bool benchmark, bool deterministic, bool enabled, bool tf32)
{
    if (bias && !bias->defined())
        bias.reset();
    int64_t bits = benchmark | deterministic << 1 | tf32 << 2;
    flags.store(bits, std::memory_order_relaxed);
    Ints key{options.load(std::memory_order_relaxed), bits | (int64_t)transposed << 8, groups};
    key.reserve(64);
    add_tensor(key, x);
    add_tensor(key, w);
    if (bias)
        add_tensor(key, *bias);
    for (const Ints *one : {&stride, &padding, &dilation, &output_padding})
        add_ints(key, *one);
    const Tensor *inputs[] = {&x, &w, bias ? &*bias : nullptr};
    std::vector<Tensor> outputs;
    if (fast(key, inputs, 3, outputs))
        return outputs[0];
    StableIValue stack[] = {stable::from(x),
                            stable::from(w),
                            stable::from(bias),
                            stable::from(stride),
                            stable::from(padding),
                            stable::from(dilation),
                            stable::from(transposed),
                            stable::from(output_padding),
                            stable::from(groups),
                            stable::from(benchmark),
                            stable::from(deterministic),
                            stable::from(enabled),
                            stable::from(tf32)};
    ask_python("anydnn::_convolution", stack);
    Tensor y = stable::to<Tensor>(stack[0]);
    learn(std::move(key));
    return y;
}

std::tuple<Tensor, Tensor, Tensor> gradient(Tensor dy, Tensor x, Tensor w, std::optional<Ints> bias,
                                            Ints stride, Ints padding, Ints dilation,
                                            bool transposed, Ints output_padding, int64_t groups,
                                            std::vector<bool> wanted)
{
    int64_t mask = 0;
    for (size_t i = 0; i < wanted.size(); i++)
        mask |= (int64_t)wanted[i] << i;
    Ints key{options.load(std::memory_order_relaxed),
             flags.load(std::memory_order_relaxed) | (int64_t)transposed << 8 | mask << 16 |
                 (int64_t)1 << 32,
             groups};
    key.reserve(64);
    for (const Tensor *one : {&dy, &x, &w})
        add_tensor(key, *one);
    for (const Ints *one : {&stride, &padding, &dilation, &output_padding})
        add_ints(key, *one);
    const Tensor *inputs[] = {&dy, &x, &w};
    std::vector<Tensor> outputs;
    if (fast(key, inputs, 3, outputs))
        return {outputs[0], outputs[1], outputs[2]};
    StableIValue stack[] = {stable::from(dy),
                            stable::from(x),
                            stable::from(w),
                            stable::from(bias),
                            stable::from(stride),
                            stable::from(padding),
                            stable::from(dilation),
                            stable::from(transposed),
                            stable::from(output_padding),
                            stable::from(groups),
                            stable::from(Ints(wanted.begin(), wanted.end()))};
    ask_python("anydnn::_convolution_backward", stack);
    Tensor dx = stable::to<Tensor>(stack[0]), dw = stable::to<Tensor>(stack[1]),
           db = stable::to<Tensor>(stack[2]);
    learn(std::move(key));
    return {dx, dw, db};
}

void after_fork()
{
    generation.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

extern "C" {

// Called once: entries of libanydnn.
void anydnn_torch_start(void *execute_entry, void *set_stream_entry)
{
    execute = (int (*)(void *, void *, void *const *, void *, size_t))execute_entry;
    set_stream = (int (*)(void *, void *))set_stream_entry;
    cuda_stream = (AOTITorchError(*)(int32_t, void **))dlsym(RTLD_DEFAULT,
                                                             "aoti_torch_get_current_cuda_stream");
    pthread_atfork(nullptr, nullptr, after_fork);
}

// Puts a kernel of aten, "_convolution" or "convolution_backward", at a key; the result goes to
// anydnn_torch_take.
void *anydnn_torch_put(const char *name, const char *key)
{
    TorchLibraryHandle library = nullptr;
    if (aoti_torch_library_init_impl("aten", key, __FILE__, __LINE__, &library))
        return nullptr;
    auto kernel = strcmp(name, "_convolution") ? TORCH_BOX(&gradient) : TORCH_BOX(&convolution);
    if (torch_library_impl(library, name, kernel, TORCH_ABI_VERSION)) {
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

// Forgets all recipes, before a handle goes.
void anydnn_torch_forget(void)
{
    generation.fetch_add(1);
}

int64_t anydnn_torch_flags(void)
{
    return flags.load();
}

// The recipe of the call that Python has just run in this thread, as numbers: counter, outputs
// (dims or -1, sizes, strides), steps (handle, problem, workspace, operands, slots).
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
        for (int i = 0; i < step.count; i++)
            step.slots[i] = (int)*at++;
    }
    offered = std::move(recipe);
}

// The call that Python has just run in this thread raised this.
void anydnn_torch_raise(const char *said)
{
    raised = said;
}

// Calls and nanoseconds of a counter, which begin anew.
void anydnn_torch_count(int counter, int64_t *calls, int64_t *nanoseconds)
{
    *calls = counters[counter].calls.exchange(0);
    *nanoseconds = counters[counter].nanoseconds.exchange(0);
}
}
