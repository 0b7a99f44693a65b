// Package value parses the values of kernel arguments and function constants on the command line,
// and formats the results.
//
// A VALUE is one of
//
//	float:1.5                one number; float4:1,2,3,4 one vector
//	float[3]:1,2,3           an array with these numbers; a single number fills it
//	zeros:float4[64,64]      an array of zeros
//	ramp:float[16]           0, 1, 2, ...
//	random:float[16]         floating-point numbers from [0, 1), integers from [0, 100), booleans
//	@file.npy, @file.png     the array or image in a file
//	half@file.npy            the same, converted to another type
//	@directory, [@a.png;...] images of one size, as layers
//	{uint:64;float:0.5}      a structure of values, with Metal's layout
//
// A Value knows its size before it has any bytes, so that a value too large for the device is
// rejected before memory is allocated. Every error quotes the offending text and says what is
// allowed.
package value
