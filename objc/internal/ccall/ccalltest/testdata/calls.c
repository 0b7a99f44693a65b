// C functions that the tests call. Built by them with the host's compiler.
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

typedef uintptr_t word;

// The stand-in for objc_msgSend in benchmarks: returns its receiver.
word msg_send(word self, word cmd, ...) { return self; }

word forty_two(void) { return 42; }

word sum4(word self, word cmd, word a, word b, word c, word d) { return self + a * 10 + b * 100 + c * 1000 + d * 10000; }

word sum16(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k, word l, word m, word n, word o, word p) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}

// Narrow results whose upper bits a compiler leaves as they come.
signed char ret_c(word x) { return (signed char)x; }
unsigned char ret_C(word x) { return (unsigned char)x; }
short ret_s(word x) { return (short)x; }
unsigned short ret_S(word x) { return (unsigned short)x; }
int ret_i(word x) { return (int)x; }
unsigned ret_I(word x) { return (unsigned)x; }
_Bool ret_B(word x) { return x & 1; }
float ret_f(double x) { return (float)x; }
double ret_d(float x) { return x; }

// A nil receiver leaves an indirect result alone, as objc_msgSend_stret does.
typedef struct { word a, b, c; } size3;
size3 *untouched(size3 *out, word self, word cmd) { return out; }

// Floats mixed with integers and spilled past eight.
double mixed(word a, double b, word c, float d, double e, float f, double g, double h, double i, float j, word k, double l, word m) {
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m;
}

// Sums variable floats: it works only if the caller says that there are some.
double variadic(word n, ...) {
	va_list ap;
	va_start(ap, n);
	double s = 0;
	while (n--) s += va_arg(ap, double);
	va_end(ap);
	return s;
}

// Calls back into Go, then answers from its own frame and stack arguments.
typedef word (*callback)(word);
word calls_back(word self, word cmd, callback f, word x, size3 s, word y) {
	word r = f(x);
	return r + self + s.a + 10 * s.b + 100 * s.c + 1000 * y;
}

// More words than a pooled frame has.
typedef struct { word w[16]; } big;
word large(word self, word cmd, big a, big b, big c, big d, big e, big f, big g, big h, big i) {
	return self + cmd + a.w[0] + 2 * e.w[7] + 3 * i.w[15];
}
double add(double a, double b) { return a + b; }
