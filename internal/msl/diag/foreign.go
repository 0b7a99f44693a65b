package diag

// Foreign returns "; Metal has '...'" for a CUDA, OpenCL or C name that Metal spells differently,
// or "".
func Foreign(name string) string {
	metal := ""
	switch name {
	case "__global__", "__kernel":
		metal = "kernel"
	case "__shared__", "__local":
		metal = "threadgroup"
	case "__constant__", "__constant":
		metal = "constant"
	case "__global":
		metal = "device"
	case "__syncthreads":
		metal = "threadgroup_barrier(mem_flags::mem_threadgroup)"
	case "__syncwarp":
		metal = "simdgroup_barrier(mem_flags::mem_threadgroup)"
	case "threadIdx", "get_local_id":
		metal = "[[thread_position_in_threadgroup]]"
	case "blockIdx", "get_group_id":
		metal = "[[threadgroup_position_in_grid]]"
	case "blockDim", "get_local_size":
		metal = "[[threads_per_threadgroup]]"
	case "get_global_id":
		metal = "[[thread_position_in_grid]]"
	case "printf":
		return `; Metal has 'os_log_default.log("...", values)' in <metal_logging>, which needs ` +
			"CompileOptions.Logging (puremetal run sets it)"
	case "std":
		metal = "metal"
	case "mad":
		metal = "fma"
	default:
		return ""
	}
	return "; Metal has '" + metal + "'"
}
