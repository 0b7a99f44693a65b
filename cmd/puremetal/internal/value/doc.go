// Package value reads what a user writes for a kernel's argument or constant, and shows what a
// kernel wrote.
//
// A VALUE is one of
//
//	float:1.5                one number; float4:1,2,3,4 one vector
//	float[3]:1,2,3           an array with these numbers; a single number fills it
//	zeros:float4[64,64]      an array of zeros
//	ramp:float[16]           0, 1, 2, ...
//	random:float[16]         floating-point numbers from [0, 1), integers from [0, 100), truth values
//	@file.npy, @file.png     the array, or picture, of a file
//	half@file.npy            the same, turned into another type
//	{uint:64;float:0.5}      a structure of values, laid out as Metal does
//
// A Value knows its size before it has any bytes, so that one which is too large for the device is
// refused before memory is taken. Whatever text comes in, the answer is a value or an error that
// names the text and what is allowed.
package value
