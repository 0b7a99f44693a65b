// Loops carry what they assign. continue ends a block inside the round so that the step still runs; a loop that tests last begins
// without a test; a break from two loops is two breaks; return ends the thread from within.
kernel void loops(device int *p [[buffer(0)]], constant int &n [[buffer(1)]]) {
    int sum = 0, i = 0;
    do {
        sum += p[i];
    } while (++i < n);
    for (int y = 0; y < n; y++) {
        if (p[y] == 0) continue;
        while (true) {
            if (p[y] > sum) break;
            if (p[y] < 0) return;
            sum -= 1;
        }
    }
    p[0] = sum;
}
