struct Base { int b; };
struct Point;
struct [[gnu::packed]] alignas(8) Point final : public Base {
public:
    float x = 0, y{1};
    uint flags : 3, : 2, mode : 4 = 1;
    static constant constexpr int dims = 2;
    mutable int cache;
    Point() thread = default;
    Point(const thread Point &) = delete;
    constexpr Point(float v) thread : Base{1}, x(v), y{v} { cache = later; }
    explicit Point(int i) : Point(float(i)) {}
    ~Point() {}
    float length() const thread { return helper(x) + later; }
    float length() const device { return 0; }
    template <typename T> T as() const { return T(x); }
    Point operator+(Point o) const { return Point(x + o.x); }
    thread Point &operator+=(const thread Point &o) thread { x += o.x; return *this; }
    float operator[](int i) const { return i; }
    float operator()(int a, int b = 2) const { return a; }
    bool operator<(Point o) const;
    bool operator<=(Point o) const;
    Point operator-() const; Point &operator++(); Point operator++(int);
    operator float() const { return x; }
    operator thread Inner *();
    explicit operator bool() const;
    static float helper(float v) { Inner i; i.a = v; return Alias(i.a); }
private:
    struct Inner { float a; };
    using Alias = float;
    int later;
    union { uint bits; float value; };
    struct { int m, n; } size;
    enum Mode { off, on = 2, };
    friend struct Base;
    friend bool operator==(Point a, Point b) { return a.x == b.x; }
    template <typename T> friend struct Other;
    using Base::b;
};
bool Point::operator<(Point o) const { Inner i; return x < o.x; }
Point::operator bool() const { return true; }
union Word { uint u; float f; } word;
typedef struct { int a; } anon_t;
typedef struct Tagged { int a; } tagged_t;
enum class Color : uchar { red, green = 1 << 2, blue [[deprecated]] };
enum { ten = 10 };
enum Plain { one, two } plain_value = two;
constant Color favorite = Color::red;
