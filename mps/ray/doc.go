// Package ray binds the ray tracing of Metal Performance Shaders: MPSRayIntersector is
// [Intersector], which finds where rays meet an [AccelerationStructure]; [SVGF] and [TemporalAA]
// denoise pictures. Apple has deprecated all but the denoisers, in favor of ray tracing in Metal
// itself. Package mps has the rules of all its bindings.
//
// The software device does not have these classes; their constructors return an error that wraps
// [objc.ErrNotFound].
//
// The file zskipped.txt lists what is left out, with the reasons.
package ray
