kernel void broken(global uint *out)
{
    out[0] = no_such_name;
}
