package diag

// Codes of the parser.
const (
	ExpectedToken       Code = "E0301"
	ExpectedExpression  Code = "E0302"
	ExpectedType        Code = "E0303"
	ExpectedName        Code = "E0304"
	ExpectedDeclaration Code = "E0305"
	ExpectedStatement   Code = "E0306"
	UnmatchedBracket    Code = "E0307"
	NestingTooDeep      Code = "E0308"
	ChainTooLong        Code = "E0309"
	NotInMSL            Code = "E0310"
	ConflictingSpecs    Code = "E0311"
	MisplacedSpec       Code = "E0312"
	MissingTypename     Code = "E0313"
	AngleEquals         Code = "E0314"
	BadDeclarator       Code = "E0315"
	BadInitializer      Code = "E0316"
	BadFold             Code = "E0317"
	BadTemplate         Code = "E0318"
	DeclaresNothing     Code = "E0319"
	BadFunctionBody     Code = "E0320"
	BadLambda           Code = "E0321"
)

var parseCodes = []Info{
	{ExpectedToken, "a punctuation mark or keyword that the grammar demands is missing"},
	{ExpectedExpression, "an expression is missing"},
	{ExpectedType, "a type is missing"},
	{ExpectedName, "a name is missing"},
	{ExpectedDeclaration, "what stands here begins no declaration"},
	{ExpectedStatement, "what stands here begins no statement"},
	{UnmatchedBracket, "a bracket has no partner"},
	{NestingTooDeep, "brackets, statements, declarators or operators are nested deeper than the limit"},
	{ChainTooLong, "more operators, else-ifs or parts of a name follow each other than the limit"},
	{NotInMSL, "a construct of C++ that the Metal Shading Language leaves out"},
	{ConflictingSpecs, "two specifiers of a declaration exclude each other, or one is given twice"},
	{MisplacedSpec, "a specifier stands where it means nothing"},
	{MissingTypename, "a type that depends on a template parameter is named without typename"},
	{AngleEquals, "the > that closes template arguments needs a space before ="},
	{BadDeclarator, "a declarator forms a type that there is not"},
	{BadInitializer, "an initialiser stands where none can"},
	{BadFold, "the operand of a fold expression is not in parentheses, or its two operators differ"},
	{BadTemplate, "a template or explicit instantiation is of something that cannot be one, or stands where none can"},
	{DeclaresNothing, "a declaration has a type but declares no name"},
	{BadFunctionBody, "a function body, constructor initialiser or = default stands where it cannot"},
	{BadLambda, "a lambda's captures are malformed"},
}
