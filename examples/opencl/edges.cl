// Edges of a picture: the length of the Sobel gradient of its brightness.

__constant sampler_t texels =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// Weights of the neighbors, by row and column; the other direction exchanges them.
__constant float sobel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};

float brightness(read_only image2d_t picture, int2 at) {
  const float3 luma = (float3)(0.299f, 0.587f, 0.114f);  // as BT.601 has it
  return dot(read_imagef(picture, texels, at).xyz, luma);
}

__kernel void edges(read_only image2d_t picture, write_only image2d_t out, float gain) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 slope = 0.0f;
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++) {
      float b = brightness(picture, at + (int2)(column, row) - 1);
      slope += b * (float2)(sobel[row][column], sobel[column][row]);
    }
  write_imagef(out, at, (float4)((float3)(gain * length(slope)), 1.0f));
}
