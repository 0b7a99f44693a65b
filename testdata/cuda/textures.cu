// Textures as objects and as references, surfaces.
__device__ float twice(cudaTextureObject_t t, float x, float y) { return 2 * tex2D<float>(t, x, y); }

__global__ void objects(cudaTextureObject_t tex, float *out, int width) {
  int i = threadIdx.x;
  out[i] = twice(tex, i % width + 0.5f, i / width + 0.5f);
}

__global__ void smooth(float *out, const cudaTextureObject_t tex) {
  float4 v = tex2D<float4>(tex, 0.5f, 0.5f);
  out[0] = v.x; out[1] = v.y; out[2] = v.z;
}

__global__ void bytes(unsigned *out, cudaTextureObject_t t) {
  uchar4 v = tex1Dfetch<uchar4>(t, threadIdx.x);
  out[threadIdx.x] = v.x << 24 | v.y << 16 | v.z << 8 | v.w;
}

typedef float item;
texture<item, 1, cudaReadModeElementType> line;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> grey;

__device__ float grey_at(int i) { return tex2D(grey, i % 2 + 0.5f, i / 2 + 0.5f); }

__global__ void references(float *out, const float *in) {
  int i = threadIdx.x;
  out[i] = tex1Dfetch(line, i) + in[i] + grey_at(i) + tex1Dfetch(line, -1) + tex1Dfetch(line, 4);
}

__global__ void surface(cudaSurfaceObject_t s) {
  int i = threadIdx.x;
  float v = i * 10;
  surf2Dwrite(v, s, i % 2 * sizeof(float), i / 2);
}

__global__ void layers(float *out, cudaTextureObject_t t) { out[threadIdx.x] = tex2DLayered<float>(t, 0.5f, 0.5f, threadIdx.x); }

// A template with a pointer besides, and an object in three dimensions.
template <class T> __device__ float sum(const T *p, const cudaTextureObject_t t, int n) {
  float r = 0;
  for (int i = 0; i < n; i++) r += p[i] + tex1D<float>(t, i + 0.5f);
  return r;
}

__device__ float at(cudaTextureObject_t t, int i) {
  cudaTextureObject_t same = t;
  return tex3D<float>(same, 0.5f, 0.5f, i + 0.5f);
}

__global__ void handed(float *out, const float *in, const cudaTextureObject_t row, cudaTextureObject_t volume, float v) {
  float own[2] = {in[0], in[1]};
  int i = threadIdx.x;
  if (v < 0) out[i] = tex3D<float>(volume, 0, 0, 0);
  v *= 2;
  out[i] = sum(own, row, 2) + sum(in, row, 2) + v * at(volume, i);
}

__global__ void planes(cudaSurfaceObject_t plane, int width) {
  for (int x = threadIdx.x; x < width; x += blockDim.x) {
    float before;
    surf2Dread(&before, plane, x * 4, 1);
    surf2Dwrite(before + 1, plane, x * 4, 0, cudaBoundaryModeTrap);
  }
}
