// Package typed defines the tree of a checked program, in which names, overloads, templates and
// constant expressions have been resolved.
//
// Its invariants:
//
//   - There are no templates, dependent types or unresolved names. Every function reachable from an
//     entry point has a body; every instantiation is a separate Func.
//   - Conversions are explicit. The operands of Binary have the same type (except for shifts), an
//     initializer has the type of what it initializes, an argument has the type of its parameter.
//     Reading an object is a Load; an expression whose Base has LValue set is an lvalue.
//   - References are pointers. A reference variable has a pointer type and Var.Ref set; naming it
//     yields Deref(Load(VarRef)). A function that returns a reference returns a pointer and has
//     Func.RefResult set; a call of it is wrapped in a Deref.
//   - The first parameter of a method or constructor is the pointer to its object (Func.This). A
//     constructor returns nothing. A captured variable is a field of the lambda's struct.
//   - Default arguments are filled in, constants are folded to Const where C++ requires a constant,
//     and the branch of an `if constexpr` that is not taken is dropped.
//   - Bases of a struct are its first fields (types.Field.Base): a conversion to a base is a
//     Member, and a conversion of pointers to a base is AddrOf(Member(Deref)).
//   - Arguments are evaluated from left to right, and the right side of an assignment before the
//     left.
//
// What builds a tree tests it: packages check, consteval and lower.
package typed
