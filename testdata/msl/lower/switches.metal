// A switch is a block of ifs: a case that falls through hands its condition to the next, break leaves the block, and a variable
// that one case declares is there, as zero, in those behind.
kernel void switches(device int *p [[buffer(0)]]) {
    switch (p[0]) {
    case 1:
    case 2:
        p[1] = 1;
    case 3: {
        p[2] = 3;
        break;
    }
    case 4:
        int n;
        n = 4;
        p[3] = n;
        return;
    default:
        n = 9;
        p[4] = n;
    }
}
