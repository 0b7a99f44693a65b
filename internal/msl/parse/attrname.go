package parse

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// attributeNames are the attributes allowed in [[...]] without a scope: those of C++ and those that
// the Metal specification defines for any stage.
var attributeNames = []string{
	"carries_dependency", "deprecated", "fallthrough", "likely", "maybe_unused", "no_unique_address", "nodiscard",
	"noreturn", "unlikely", "unroll", "unused",
	"accept_intersection", "alias_implicit_imageblock", "alias_implicit_imageblock_color", "amplification_count",
	"amplification_id", "attribute",
	"barycentric_coord", "base_instance", "base_vertex", "buffer", "center_no_perspective", "center_perspective",
	"centroid_no_perspective",
	"centroid_perspective", "clip_distance", "color", "continue_search", "coverage", "curve_parameter", "depth",
	"direction", "dispatch_quadgroups_per_threadgroup",
	"dispatch_simdgroups_per_threadgroup", "dispatch_threads_per_threadgroup", "distance", "early_fragment_tests", "flat",
	"fragment", "front_facing", "function_constant",
	"function_groups", "geometry_id", "geometry_intersection_function_table_offset", "grid_origin", "grid_size",
	"host_name", "id", "imageblock", "imageblock_data", "implicit_imageblock_data",
	"index", "instance_id", "instance_intersection_function_table_offset", "intersection", "intersection_type",
	"invariant", "kernel", "key_frame_count", "max_distance",
	"max_total_threadgroups_per_mesh_grid", "max_total_threads_per_threadgroup", "mesh", "min_distance", "motion_end_time",
	"motion_start_time", "object",
	"object_to_world_transform", "opaque", "origin", "patch", "patch_control_point", "patch_id", "payload",
	"pixel_position_in_tile", "pixels_per_tile", "point_coord", "point_size", "position", "position_in_patch",
	"primitive_culled", "primitive_data", "primitive_id", "quadgroup_index_in_threadgroup", "quadgroups_per_threadgroup",
	"raster_order_group",
	"render_target_array_index", "required_threads_per_threadgroup", "sample_id", "sample_mask", "sample_no_perspective",
	"sample_perspective", "sampler", "shared",
	"simdgroup_index_in_threadgroup", "simdgroups_per_threadgroup", "stage_in", "stencil", "stitchable", "texture",
	"thread_execution_width", "thread_index_in_quadgroup",
	"thread_index_in_simdgroup", "thread_index_in_threadgroup", "thread_position_in_grid",
	"thread_position_in_threadgroup", "threadgroup", "threadgroup_position_in_grid",
	"threadgroups_per_grid", "threads_per_grid", "threads_per_simdgroup", "threads_per_threadgroup", "tile_index", "time",
	"user", "user_instance_id",
	"vertex", "vertex_id", "viewport_array_index", "visible", "world_space_direction", "world_space_origin",
	"world_to_object_transform",
	"render_target_index", "tile", "user_annotation", "always_inline", "noinline", "alignas", "aligned", "packed", "const",
	"pure", "used", "align",
}

// unknownAttribute warns about an unknown attribute, which is probably misspelled.
func (p *parser) unknownAttribute(a *ast.Attr) {
	if a.GNU || a.Scope != "" || p.quiet > 0 || p.recovering || slices.Contains(attributeNames, a.Name) {
		return
	}
	meant := ""
	if m := diag.Suggest(a.Name, slices.Values(attributeNames)); m != "" {
		meant = "; did you mean '" + m + "'?"
	}
	p.sink.Warnf(diag.UnknownAttribute, a.Pos(), a.Pos()+diag.Pos(len(a.Name)), "unknown attribute '%s' is ignored%s",
		a.Name, meant)
}
