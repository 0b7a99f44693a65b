#pragma once
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(x) #x
#define STR(x) STR_(x)
#define HOST(op, type) STR(CAT(op, CAT(_, type)))
