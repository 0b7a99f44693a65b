// Unsigned built-ins, conversions, integers and bits.
__global__ void numbers(int *o, float f, float nan, unsigned u, int i) {
  o[0] = threadIdx.x - 1 > 1;
  o[1] = (int)(f * 1e10f); o[2] = (int)(-f * 1e10f); o[3] = (int)nan; o[4] = (unsigned)(-f);
  o[5] = __popc(u); o[6] = __clz(i); o[7] = __ffs(i); o[8] = __brev(u);
  o[9] = __byte_perm(0x33221100, 0x77665544, 0x5a40); o[10] = __funnelshift_l(u, i, 8); o[11] = __funnelshift_rc(u, i, 40);
  o[12] = __umulhi(u, u); o[13] = __mulhi(-i, i); o[14] = __mul24(-i, i); o[15] = __sad(-5, 7, 1u);
  o[16] = __dp4a((int)0xff020304, 0x01010101, 10); o[17] = __dp4a(0xff020304u, 0x01010101u, 10u);
  o[18] = __float_as_int(f); o[19] = __float2int_rn(2.5f * f); o[20] = __float2int_ru(f + 0.25f);
  o[21] = max(-1, (int)u & 1); o[22] = max(i, u); o[23] = min(2, 3); o[24] = abs(-i); o[25] = __hadd(-3, 4);
  o[26] = __float2uint_rd(-f); o[27] = (char)300; o[28] = __clzll(1LL << 40); o[29] = __ffsll(1LL << 40);
  o[30] = sizeof(long long);
  long long big = (long long)(f * 1e30f); o[31] = big == 0x7fffffffffffffffLL;
}

__global__ void floats(float *o, float x, float y) {
  o[0] = sinf(x); o[1] = powf(x, y); o[2] = rsqrtf(x); o[3] = fminf(x, y); o[4] = fmaxf(x, NAN); o[5] = sqrt(x);
  o[6] = floorf(-x); o[7] = fmodf(y, x); o[8] = x / y; o[9] = fabs(-x); o[10] = exp(x); o[11] = log2f(y);
  sincosf(x, &o[12], &o[13]);
  o[14] = x > 0 ? INFINITY : 0; o[15] = isnan(NAN); o[16] = roundf(2.5f); o[17] = rintf(2.5f);
  o[18] = __half2float(__float2half(x)); o[19] = __low2float(__hadd2(__floats2half2_rn(x, y), __float2half2_rn(1)));
  o[20] = fmaf(x, y, 1); o[21] = __fdividef(x, y); o[22] = max(x, y); o[23] = copysignf(x, -y); o[24] = __saturatef(y);
  int e; o[25] = frexpf(6.0f, &e); o[26] = e; o[27] = ldexpf(x, 3); o[28] = tanhf(x); o[29] = atan2f(x, y);
}
