package token

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	EOF   Kind = iota
	Other      // not a token: a stray character or an unterminated literal; only within the preprocessor

	Ident
	Int    // see ParseInt
	Float  // see ParseFloat
	Char   // with prefix and quotes; see ParseChar
	String // with prefix and quotes; see Unquote
	Number // a malformed number, already reported by the preprocessor

	operators
	LParen        // (
	RParen        // )
	LBrack        // [
	RBrack        // ]
	LBrace        // {
	RBrace        // }
	Semi          // ;
	Comma         // ,
	Dot           // .
	Ellipsis      // ...
	Colon         // :
	ColonColon    // ::
	Question      // ?
	Arrow         // ->
	ArrowStar     // ->*
	DotStar       // .*
	Plus          // +
	Minus         // -
	Star          // *
	Slash         // /
	Percent       // %
	Caret         // ^
	Amp           // &
	Pipe          // |
	Tilde         // ~
	Not           // !
	AmpAmp        // &&
	PipePipe      // ||
	PlusPlus      // ++
	MinusMinus    // --
	Shl           // <<
	Shr           // >>; closes two template argument lists
	Eq            // ==
	Ne            // !=
	Less          // <
	Greater       // >
	LessEq        // <=
	GreaterEq     // >=
	Assign        // =
	PlusAssign    // +=
	MinusAssign   // -=
	StarAssign    // *=
	SlashAssign   // /=
	PercentAssign // %=
	CaretAssign   // ^=
	AmpAssign     // &=
	PipeAssign    // |=
	ShlAssign     // <<=
	ShrAssign     // >>=
	Hash          // #; only within the preprocessor
	HashHash      // ##; only within the preprocessor
	operatorsEnd

	keywords
	// Metal's own keywords.
	KwKernel
	KwVertex
	KwFragment
	KwDevice
	KwConstant
	KwThread
	KwThreadgroup
	KwThreadgroupImageblock
	KwRayData
	KwObjectData
	// Types with C++ keywords. half, bfloat, uint, float4 and the like are names in namespace
	// metal.
	KwVoid
	KwBool
	KwChar
	KwWchar
	KwChar16
	KwChar32
	KwShort
	KwInt
	KwLong
	KwFloat
	KwDouble
	KwSigned
	KwUnsigned
	KwAuto
	// The rest of C++14 and C++17.
	KwAlignas
	KwAlignof
	KwAsm
	KwAttribute // __attribute__
	KwBreak
	KwCase
	KwCatch
	KwClass
	KwConst
	KwConstCast
	KwConstexpr
	KwContinue
	KwDecltype
	KwDefault
	KwDelete
	KwDo
	KwDynamicCast
	KwElse
	KwEnum
	KwExplicit
	KwExport
	KwExtern
	KwFalse
	KwFor
	KwFriend
	KwGoto
	KwIf
	KwInline
	KwMutable
	KwNamespace
	KwNew
	KwNoexcept
	KwNullptr
	KwOperator
	KwPrivate
	KwProtected
	KwPublic
	KwRegister
	KwReinterpretCast
	KwRestrict // __restrict, __restrict__
	KwReturn
	KwSizeof
	KwStatic
	KwStaticAssert
	KwStaticCast
	KwStruct
	KwSwitch
	KwTemplate
	KwThis
	KwThreadLocal
	KwThrow
	KwTrue
	KwTry
	KwTypedef
	KwTypeid
	KwTypename
	KwTypeof // __typeof__, __typeof
	KwUnion
	KwUsing
	KwVirtual
	KwVolatile
	KwWhile
	keywordsEnd
)

// IsOperator reports whether k is an operator or punctuator.
func (k Kind) IsOperator() bool { return operators < k && k < operatorsEnd }

// IsKeyword reports whether k is a keyword.
func (k Kind) IsKeyword() bool { return keywords < k && k < keywordsEnd }

// IsLiteral reports whether k is a number, character or string literal. true, false and nullptr are
// keywords.
func (k Kind) IsLiteral() bool { return Int <= k && k <= Number }

// IsAssign reports whether k is an assignment operator.
func (k Kind) IsAssign() bool { return Assign <= k && k <= ShrAssign }

// IsAddrSpace reports whether k names an address space.
func (k Kind) IsAddrSpace() bool { return KwDevice <= k && k <= KwObjectData }

func (k Kind) String() string {
	if int(k) < len(spellings) && spellings[k] != "" {
		return spellings[k]
	}
	return "token"
}

var spellings = [...]string{
	EOF: "end of file", Other: "stray character",
	Ident: "name", Int: "integer", Float: "floating-point number", Char: "character", String: "string", Number: "number",

	LParen: "(", RParen: ")", LBrack: "[", RBrack: "]", LBrace: "{", RBrace: "}", Semi: ";", Comma: ",",
	Dot: ".", Ellipsis: "...", Colon: ":", ColonColon: "::", Question: "?", Arrow: "->", ArrowStar: "->*", DotStar: ".*",
	Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%", Caret: "^", Amp: "&", Pipe: "|", Tilde: "~", Not: "!",
	AmpAmp: "&&", PipePipe: "||", PlusPlus: "++", MinusMinus: "--", Shl: "<<", Shr: ">>", Eq: "==", Ne: "!=",
	Less: "<", Greater: ">", LessEq: "<=", GreaterEq: ">=", Assign: "=", PlusAssign: "+=", MinusAssign: "-=",
	StarAssign: "*=", SlashAssign: "/=", PercentAssign: "%=", CaretAssign: "^=", AmpAssign: "&=", PipeAssign: "|=",
	ShlAssign: "<<=", ShrAssign: ">>=", Hash: "#", HashHash: "##",

	KwKernel: "kernel", KwVertex: "vertex", KwFragment: "fragment", KwDevice: "device", KwConstant: "constant",
	KwThread: "thread", KwThreadgroup: "threadgroup", KwThreadgroupImageblock: "threadgroup_imageblock",
	KwRayData: "ray_data", KwObjectData: "object_data",
	KwVoid: "void", KwBool: "bool", KwChar: "char", KwWchar: "wchar_t", KwChar16: "char16_t", KwChar32: "char32_t",
	KwShort: "short", KwInt: "int", KwLong: "long", KwFloat: "float", KwDouble: "double", KwSigned: "signed",
	KwUnsigned: "unsigned", KwAuto: "auto",
	KwAlignas: "alignas", KwAlignof: "alignof", KwAsm: "asm", KwAttribute: "__attribute__", KwBreak: "break",
	KwCase:  "case",
	KwCatch: "catch", KwClass: "class", KwConst: "const", KwConstCast: "const_cast", KwConstexpr: "constexpr",
	KwContinue: "continue", KwDecltype: "decltype", KwDefault: "default", KwDelete: "delete", KwDo: "do",
	KwDynamicCast: "dynamic_cast", KwElse: "else", KwEnum: "enum", KwExplicit: "explicit", KwExport: "export",
	KwExtern: "extern", KwFalse: "false", KwFor: "for", KwFriend: "friend", KwGoto: "goto", KwIf: "if", KwInline: "inline",
	KwMutable: "mutable", KwNamespace: "namespace", KwNew: "new", KwNoexcept: "noexcept", KwNullptr: "nullptr",
	KwOperator: "operator", KwPrivate: "private", KwProtected: "protected", KwPublic: "public", KwRegister: "register",
	KwReinterpretCast: "reinterpret_cast", KwRestrict: "__restrict", KwReturn: "return", KwSizeof: "sizeof",
	KwStatic: "static", KwStaticAssert: "static_assert", KwStaticCast: "static_cast", KwStruct: "struct",
	KwSwitch: "switch", KwTemplate: "template", KwThis: "this", KwThreadLocal: "thread_local", KwThrow: "throw",
	KwTrue: "true", KwTry: "try", KwTypedef: "typedef", KwTypeid: "typeid", KwTypename: "typename", KwTypeof: "__typeof__",
	KwUnion: "union", KwUsing: "using", KwVirtual: "virtual", KwVolatile: "volatile", KwWhile: "while",
}
