package parse

import (
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// The names of Metal's library that the parser must know: types, class templates, and function
// templates called with explicit arguments. Functions that are only called need not be listed.
const (
	libraryTypes = `
half bfloat uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t nullptr_t
int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
sampler coord filter mag_filter min_filter mip_filter reduction memory_coherence address s_address t_address r_address border_color compare_func lod_clamp max_anisotropy bias lod_bias level
gradient2d gradient3d gradientcube min_lod_clamp access mem_flags memory_order memory_scope thread_scope simdgroup_scope true_type false_type
command_buffer compute_command render_command compute_pipeline_state render_pipeline_state depth_stencil_state primitive_type index_type
mesh_grid_properties cooperative_threads patch_control_point_attr patch_index_attr topology
quad_vote simd_vote quadgroup_scope os_log simdgroup_event texture_type component
ray acceleration_structure_ref triangle_data instancing curve_data world_space_data primitive_data
extended_limits motion_transform intersection_type opacity forced_opacity geometry_type geometry_cull_mode triangle_cull_mode
intersection_tags curve_basis curve_type opacity_cull_mode instance_acceleration_structure primitive_acceleration_structure
instance_motion primitive_motion execution_threadgroup
MTLQuadTessellationFactorsHalf MTLTriangleTessellationFactorsHalf MTLDispatchThreadgroupsIndirectArguments
MTLDrawPrimitivesIndirectArguments MTLDrawIndexedPrimitivesIndirectArguments MTLStageInRegionIndirectArguments
rgba8unorm_int va_list execution_threads execution_thread execution_simdgroup matmul2d_descriptor convolution2d_descriptor
`
	libraryClassTemplates = `
vec matrix packed_vec array array_ref atomic simdgroup_matrix numeric_limits uniform complex pair tuple packed_array
texture1d texture1d_array texture2d texture2d_array texture2d_ms texture2d_ms_array texture3d texturecube texturecube_array
texture_buffer depth2d depth2d_array depth2d_ms depth2d_ms_array depthcube depthcube_array
r8unorm r8snorm r16unorm r16snorm rg8unorm rg8snorm rg16unorm rg16snorm rgba8unorm srgba8unorm rgba8snorm rgba16unorm rgba16snorm
rgb10a2 rg11b10f rgb9e5 imageblock imageblock_data mesh object_data_ptr render_grid patch_control_point interpolant
enable_if enable_if_t conditional conditional_t is_same is_void is_integral is_floating_point is_array is_pointer is_reference
is_lvalue_reference is_rvalue_reference is_function is_arithmetic is_fundamental is_scalar is_object is_compound is_const is_volatile
is_signed is_unsigned is_enum is_union is_class is_empty is_trivial is_pod is_standard_layout is_literal_type is_polymorphic is_abstract
is_constructible is_default_constructible is_copy_constructible is_move_constructible is_assignable is_copy_assignable is_move_assignable
is_destructible is_trivially_copyable is_trivially_constructible is_trivially_default_constructible is_trivially_copy_constructible
is_trivially_move_constructible is_trivially_assignable is_trivially_copy_assignable is_trivially_move_assignable is_trivially_destructible
is_base_of is_convertible is_member_pointer is_member_object_pointer is_member_function_pointer is_null_pointer is_final
is_vector is_matrix is_atomic is_half is_packed_vector is_unpacked_vector is_invocable is_invocable_r vec_size vec_elements
make_packed make_unpacked remove_addrspace remove_cvref function_handle
make_signed make_signed_t make_unsigned make_unsigned_t make_scalar make_scalar_t make_vector make_vector_t
remove_reference remove_reference_t remove_cv remove_cv_t remove_const remove_const_t remove_volatile remove_volatile_t
remove_pointer remove_pointer_t remove_extent remove_extent_t remove_all_extents remove_all_extents_t
remove_address_space remove_address_space_t add_const add_const_t add_cv add_cv_t add_volatile add_volatile_t add_pointer add_pointer_t
add_lvalue_reference add_lvalue_reference_t add_rvalue_reference add_rvalue_reference_t decay decay_t common_type common_type_t
underlying_type underlying_type_t result_of result_of_t invoke_result invoke_result_t alignment_of rank extent aligned_storage aligned_storage_t
aligned_union aligned_union_t integral_constant bool_constant integer_sequence index_sequence make_integer_sequence make_index_sequence
index_sequence_for void_t conjunction disjunction negation has_virtual_destructor type_identity type_identity_t
tuple_size tuple_element tuple_element_t vector_type_hint
visible_function_table intersection_function_table intersector intersection_result intersection_query intersection_params
acceleration_structure user_instance_id intersection_result_ref
tensor extents dextents tensor_offset tensor_handle tensor_inline cooperative_tensor matmul2d convolution2d execution_simdgroups
dynamic_extent_t make_extents
`
	libraryFunctionTemplates = `
as_type tuple_size_v rank_v extent_v alignment_of_v conjunction_v disjunction_v negation_v
declval forward move get make_filled_simdgroup_matrix make_uniform make_tuple make_pair swap addressof static_pointer_cast
unpack pack simdgroup_load_matrix reduce_rows
`
	libraryNamespaces = `fast precise simd raytracing mpp tensor_ops mesh_intrinsics std`
)

// builtinNames holds the names above plus those of the vectors, matrices and atomics, which follow
// a pattern.
var builtinNames = sync.OnceValue(func() map[string]ast.NameKind {
	m := make(map[string]ast.NameKind, 1024)
	add := func(names string, k ast.NameKind) {
		for _, n := range strings.Fields(names) {
			m[n] = k
		}
	}
	for _, elem := range strings.Fields("bool char uchar short ushort int uint long ulong half bfloat float double") {
		for _, n := range "234" {
			m[elem+string(n)] = ast.NameType
			m["packed_"+elem+string(n)] = ast.NameType
			m["vector_"+elem+string(n)] = ast.NameType
		}
		m["atomic_"+elem] = ast.NameType
		if elem == "half" || elem == "bfloat" || elem == "float" || elem == "double" {
			for _, c := range "234" {
				for _, r := range "234" {
					m[elem+string(c)+"x"+string(r)] = ast.NameType
					m["matrix_"+elem+string(c)+"x"+string(r)] = ast.NameType
					m["simd_"+elem+string(c)+"x"+string(r)] = ast.NameType
				}
			}
			m["simdgroup_"+elem+"8x8"] = ast.NameType
		}
		for _, n := range "234" {
			m["simd_"+elem+string(n)] = ast.NameType
		}
	}
	add("atomic_flag", ast.NameType)
	add(libraryTypes, ast.NameType)
	add(libraryClassTemplates, ast.NameTypeTemplate)
	add(libraryFunctionTemplates, ast.NameValueTemplate)
	for _, n := range strings.Fields(libraryClassTemplates) {
		switch prefix, _, _ := strings.Cut(n, "_"); prefix {
		case "is", "has", "vec":
			m[n+"_v"] = ast.NameValueTemplate
		case "make", "remove", "add":
			if !strings.HasSuffix(n, "_t") {
				m[n+"_t"] = ast.NameTypeTemplate
			}
		}
	}
	add(libraryNamespaces, ast.NameNamespace)
	return m
})

// builtinName returns the kind of a name of Metal's library.
func builtinName(name string) ast.NameKind { return builtinNames()[name] }
