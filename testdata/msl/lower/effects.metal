// What need not be evaluated must not be: the right of && and the arms of ?: become regions when they have effects, and a select when they are
// cheap and have none. A comma evaluates both.
kernel void effects(device int *p [[buffer(0)]], constant int &n [[buffer(1)]]) {
    int i = 0, j = 0;
    if (n > 0 && p[i++] > 1) p[1] = i;
    bool both = n > 1 && n < 5;
    p[2] = both ? n : -n;
    p[3] = n > 2 ? ++i : (j++, i);
    p[4] = i + j;
}
