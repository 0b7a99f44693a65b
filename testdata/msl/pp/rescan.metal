// Macro replacement at its edges.
#define EMPTY
#define DEFER(m) m EMPTY
#define SCAN(...) __VA_ARGS__
#define SELF SELF + OTHER
#define OTHER SELF - OTHER
#define CALL(f, ...) f(__VA_ARGS__)
#define PAIR(a, b) <a | b>
#define SWAP(a, b) PAIR(b, a)
#define COUNT(...) COUNT_(__VA_ARGS__, 5, 4, 3, 2, 1, 0)
#define COUNT_(a, b, c, d, e, n, ...) n
#define SHOW(x) #x
#define ISHOW(x) SHOW(x)
#define ARGS(x, ...) x __VA_OPT__(-> (__VA_ARGS__))

self SELF
other OTHER
call CALL(SWAP, 1, 2)
nested CALL(CALL, SWAP, CALL(SWAP, 1, 2), 3)
defer DEFER(PAIR)(1, 2) SCAN(DEFER(PAIR)(1, 2))
count COUNT(a) COUNT(a, b) COUNT(a, (b, c), d)
show SHOW( PAIR(1,  2) ) ISHOW(PAIR(1,  2)) ISHOW(a EMPTY b) ISHOW("x\n" '"')
args ARGS(a) ARGS(a, b) ARGS(a, EMPTY) ARGS(a, b, c)
lines PAIR(first
    argument,
  second /* comment
  */ argument)
line __LINE__ SCAN(__LINE__
  __LINE__) \
  __LINE__
