# SPDX-License-Identifier: Apache-2.0
"""ResNet, ResNeXt, MobileNet-v2 and VGG-16 as in their papers and in torchvision.

He et al. 2016 with the stride on the 3x3 convolution, Xie et al. 2017, Sandler et al. 2018,
Simonyan and Zisserman 2015.
"""
from torch import nn


def convolution(inputs, outputs, kernel, stride=1, groups=1):
    """Returns a convolution without bias and its normalization."""
    return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs)]


class Block(nn.Module):
    """A residual block: two 3x3 convolutions, or 1x1, 3x3 in groups, 1x1 for `middle` channels between."""

    def __init__(self, inputs, outputs, stride, middle=0, groups=1):
        super().__init__()
        relu = nn.ReLU(inplace=True)
        if middle:
            layers = [*convolution(inputs, middle, 1), relu, *convolution(middle, middle, 3, stride, groups), relu,
                      *convolution(middle, outputs, 1)]
        else:
            layers = [*convolution(inputs, outputs, 3, stride), relu, *convolution(outputs, outputs, 3)]
        self.path, self.relu = nn.Sequential(*layers), relu
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(*convolution(inputs, outputs, 1, stride))

    def forward(self, x):
        return self.relu(self.path(x) + self.shortcut(x))


class ResNet(nn.Module):
    """`counts` blocks in each of four stages; a small input keeps its size in the first layers."""

    def __init__(self, counts, bottleneck, classes, small, width=64, groups=1):
        super().__init__()
        stem = convolution(3, 64, 3) if small else convolution(3, 64, 7, 2)
        layers = [*stem, nn.ReLU(inplace=True)] + ([] if small else [nn.MaxPool2d(3, 2, 1)])
        channels = 64
        for stage, count in enumerate(counts):
            outputs = (256 if bottleneck else 64) << stage
            middle = (width << stage) if bottleneck else 0
            for index in range(count):
                layers.append(Block(channels, outputs, 2 if stage and not index else 1, middle, groups))
                channels = outputs
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


class Inverted(nn.Module):
    """An inverted residual: 1x1 to `middle` channels, depthwise 3x3, 1x1 without activation."""

    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        middle = inputs * expansion
        layers = [*convolution(inputs, middle, 1), nn.ReLU6(inplace=True)] if expansion != 1 else []
        self.path = nn.Sequential(*layers, *convolution(middle, middle, 3, stride, middle), nn.ReLU6(inplace=True),
                                  *convolution(middle, outputs, 1))
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.path(x) if self.residual else self.path(x)


class MobileNet(nn.Module):
    def __init__(self, classes, small):
        super().__init__()
        layers, channels = [*convolution(3, 32, 3, 1 if small else 2), nn.ReLU6(inplace=True)], 32
        for expansion, outputs, count, stride in ((1, 16, 1, 1), (6, 24, 2, 1 if small else 2), (6, 32, 3, 2),
                                                  (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
            for index in range(count):
                layers.append(Inverted(channels, outputs, 1 if index else stride, expansion))
                channels = outputs
        self.features = nn.Sequential(*layers, *convolution(channels, 1280, 1), nn.ReLU6(inplace=True))
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


class VGG(nn.Module):
    def __init__(self, classes, small):
        super().__init__()
        layers, channels = [], 3
        for outputs, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
            for _ in range(count):
                layers += [nn.Conv2d(channels, outputs, 3, padding=1), nn.ReLU(inplace=True)]
                channels = outputs
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        side = 1 if small else 7
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(512 * side * side, 4096), nn.ReLU(True), nn.Dropout(),
                                  nn.Linear(4096, 4096), nn.ReLU(True), nn.Dropout(), nn.Linear(4096, classes))

    def forward(self, x):
        return self.head(self.features(x))


MODELS = {
    "resnet18": lambda classes, small: ResNet((2, 2, 2, 2), False, classes, small),
    "resnet50": lambda classes, small: ResNet((3, 4, 6, 3), True, classes, small),
    "resnext50": lambda classes, small: ResNet((3, 4, 6, 3), True, classes, small, 128, 32),
    "mobilenet_v2": MobileNet,
    "vgg16": VGG,
}


def model_of(name, classes=1000, small=False):
    """Returns a model by name. `small` is for images of 32 pixels. "torchvision:NAME" selects torchvision's."""
    if name.startswith("torchvision:"):
        import torchvision
        return torchvision.models.get_model(name.split(":", 1)[1], num_classes=classes)
    if name not in MODELS:
        raise SystemExit(f"unknown model {name!r}; available: {', '.join(MODELS)} and torchvision:NAME")
    return MODELS[name](classes, small)
