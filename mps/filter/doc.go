// Package filter binds the image filters of Metal Performance Shaders: MPSImageGaussianBlur is
// [GaussianBlur]. Images themselves are in package mps, and so are the rules of all its bindings.
//
// A filter encodes itself to a command buffer and reads and writes images, or textures of package
// mtl. Those of one source have the methods of [UnaryImageKernel], those of two the methods of
// [BinaryImageKernel]:
//
//   - Windows: [GaussianBlur], [Box], [Tent], [Median], [Convolution], [Sobel], [Laplacian],
//     [Dilate], [Erode], [AreaMax], [AreaMin], [Canny], [GuidedFilter] and pyramids such as
//     [GaussianPyramid].
//   - Sizes and layouts: [LanczosScale], [BilinearScale], [Transpose], [Conversion],
//     [CopyToMatrix].
//   - Colors and thresholds: [Histogram], [HistogramEqualization], [ThresholdBinary] and others.
//   - Sums and statistics: [Integral], [ReduceRowSum], [StatisticsMean] and others.
//   - Two images: [Add], [Subtract], [Multiply], [Divide].
//
// The file zskipped.txt lists what is left out, with the reasons.
package filter
