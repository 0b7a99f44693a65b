// tally counts a class.
kernel void tally(device uint *counts [[buffer(0)]], constant uint &number [[buffer(1)]],
                  constant uint &by [[buffer(2)]]) {
    counts[number] += by;
}
