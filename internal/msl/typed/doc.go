// Package typed defines the tree of a checked program, in which names, overloads, templates and
// constant expressions have been resolved.
//
// Its invariants:
//
//   - There are no templates, no dependent types and no unresolved names. Every function that can be
//     reached from an entry point has a body; every instantiation is a Func of its own.
//   - Conversions are explicit. The operands of Binary have the same type (shifts excepted), an
//     initializer has the type of what it initializes, an argument has the type of its parameter.
//     Reading an object is a Load; an expression whose Base has LValue set is an lvalue.
//   - References are pointers. A reference variable has a pointer type and Var.Ref set; naming it
//     gives Deref(Load(VarRef)). A function that returns a reference returns a pointer and has
//     Func.RefResult set; a call of it is wrapped in a Deref.
//   - A method has the pointer to its object as its first parameter (Func.This), a constructor too,
//     and returns nothing. A captured variable of a lambda is a field of the lambda's struct.
//   - Default arguments are filled in, constants are folded to Const where C++ demands a constant,
//     the branch not taken of an `if constexpr` is gone.
//   - Bases of a struct are its first fields (types.Field.Base): a conversion to a base is a
//     Member, and a conversion of pointers to a base is AddrOf(Member(Deref)).
//   - Arguments are evaluated from left to right; the left side of an assignment after the right one.
package typed
