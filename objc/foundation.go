package objc

// foundationMethods are the Foundation methods that this package's conversions use.
var foundationMethods = [...]Method{
	fnStringInit:   {Class: "NSString", Selector: "initWithBytes:length:encoding:", Encoding: "@@:r^vQQ", Retained: true},
	fnStringUTF8:   {Class: "NSString", Selector: "UTF8String", Encoding: "r*@:"},
	fnStringLength: {Class: "NSString", Selector: "lengthOfBytesUsingEncoding:", Encoding: "Q@:Q"},

	fnArrayInit: {Class: "NSArray", Selector: "initWithObjects:count:", Encoding: "@@:r^@Q", Retained: true},
	fnMutableArrayInit: {Class: "NSMutableArray", Selector: "initWithObjects:count:", Encoding: "@@:r^@Q",
		Retained: true},
	fnMutableArrayAdd: {Class: "NSMutableArray", Selector: "addObject:", Encoding: "v@:@"},

	fnArrayCount: {Class: "NSArray", Selector: "count", Encoding: "Q@:"},
	fnArrayAt:    {Class: "NSArray", Selector: "objectAtIndex:", Encoding: "@@:Q"},

	fnDictionaryInit: {Class: "NSDictionary", Selector: "initWithObjects:forKeys:count:", Encoding: "@@:r^@r^@Q",
		Retained: true},
	fnDictionaryKeys:   {Class: "NSDictionary", Selector: "allKeys", Encoding: "@@:"},
	fnDictionaryObject: {Class: "NSDictionary", Selector: "objectForKey:", Encoding: "@@:@"},

	fnDataInit:   {Class: "NSData", Selector: "initWithBytes:length:", Encoding: "@@:r^vQ", Retained: true},
	fnDataBytes:  {Class: "NSData", Selector: "bytes", Encoding: "r^v@:"},
	fnDataLength: {Class: "NSData", Selector: "length", Encoding: "Q@:"},

	fnURLFile:     {Class: "NSURL", Selector: "fileURLWithPath:", Encoding: "@@:@", IsClassMethod: true},
	fnURLString:   {Class: "NSURL", Selector: "URLWithString:", Encoding: "@@:@", IsClassMethod: true},
	fnURLIsFile:   {Class: "NSURL", Selector: "isFileURL", Encoding: "B@:"},
	fnURLPath:     {Class: "NSURL", Selector: "path", Encoding: "@@:"},
	fnURLAbsolute: {Class: "NSURL", Selector: "absoluteString", Encoding: "@@:"},

	fnNumberInt:     {Class: "NSNumber", Selector: "initWithLongLong:", Encoding: "@@:q", Retained: true},
	fnNumberUint:    {Class: "NSNumber", Selector: "initWithUnsignedLongLong:", Encoding: "@@:Q", Retained: true},
	fnNumberDouble:  {Class: "NSNumber", Selector: "initWithDouble:", Encoding: "@@:d", Retained: true},
	fnNumberBool:    {Class: "NSNumber", Selector: "initWithBool:", Encoding: "@@:B", Retained: true},
	fnNumberAsInt:   {Class: "NSNumber", Selector: "longLongValue", Encoding: "q@:"},
	fnNumberAsUint:  {Class: "NSNumber", Selector: "unsignedLongLongValue", Encoding: "Q@:"},
	fnNumberAsFloat: {Class: "NSNumber", Selector: "doubleValue", Encoding: "d@:"},
	fnNumberAsBool:  {Class: "NSNumber", Selector: "boolValue", Encoding: "B@:"},

	fnErrorInit:        {Class: "NSError", Selector: "initWithDomain:code:userInfo:", Encoding: "@@:@q@", Retained: true},
	fnErrorDomain:      {Class: "NSError", Selector: "domain", Encoding: "@@:"},
	fnErrorCode:        {Class: "NSError", Selector: "code", Encoding: "q@:"},
	fnErrorUserInfo:    {Class: "NSError", Selector: "userInfo", Encoding: "@@:"},
	fnErrorDescription: {Class: "NSError", Selector: "localizedDescription", Encoding: "@@:"},
	fnErrorReason:      {Class: "NSError", Selector: "localizedFailureReason", Encoding: "@@:"},

	fnProcessInfo:     {Class: "NSProcessInfo", Selector: "processInfo", Encoding: "@@:", IsClassMethod: true},
	fnProcessMemory:   {Class: "NSProcessInfo", Selector: "physicalMemory", Encoding: "Q@:"},
	fnProcessVersion:  {Class: "NSProcessInfo", Selector: "operatingSystemVersion", Encoding: "{?=qqq}@:"},
	fnProcessVersionS: {Class: "NSProcessInfo", Selector: "operatingSystemVersionString", Encoding: "@@:"},
	fnProcessThermal:  {Class: "NSProcessInfo", Selector: "thermalState", Encoding: "q@:"},
	fnProcessLowPower: {Class: "NSProcessInfo", Selector: "isLowPowerModeEnabled", Encoding: "B@:"},
	fnProcessCores:    {Class: "NSProcessInfo", Selector: "processorCount", Encoding: "Q@:"},
	fnProcessActive:   {Class: "NSProcessInfo", Selector: "activeProcessorCount", Encoding: "Q@:"},
	fnProcessUptime:   {Class: "NSProcessInfo", Selector: "systemUptime", Encoding: "d@:"},
}

const (
	fnStringInit = iota
	fnStringUTF8
	fnStringLength
	fnArrayInit
	fnMutableArrayInit
	fnMutableArrayAdd
	fnArrayCount
	fnArrayAt
	fnDictionaryInit
	fnDictionaryKeys
	fnDictionaryObject
	fnDataInit
	fnDataBytes
	fnDataLength
	fnURLFile
	fnURLString
	fnURLIsFile
	fnURLPath
	fnURLAbsolute
	fnNumberInt
	fnNumberUint
	fnNumberDouble
	fnNumberBool
	fnNumberAsInt
	fnNumberAsUint
	fnNumberAsFloat
	fnNumberAsBool
	fnErrorInit
	fnErrorDomain
	fnErrorCode
	fnErrorUserInfo
	fnErrorDescription
	fnErrorReason
	fnProcessInfo
	fnProcessMemory
	fnProcessVersion
	fnProcessVersionS
	fnProcessThermal
	fnProcessLowPower
	fnProcessCores
	fnProcessActive
	fnProcessUptime
)

// Foundation classes that the conversions instantiate.
var (
	classString       = ClassRef{Name: "NSString", Framework: "Foundation"}
	classArray        = ClassRef{Name: "NSArray", Framework: "Foundation"}
	classMutableArray = ClassRef{Name: "NSMutableArray", Framework: "Foundation"}
	classDictionary   = ClassRef{Name: "NSDictionary", Framework: "Foundation"}
	classData         = ClassRef{Name: "NSData", Framework: "Foundation"}
	classURL          = ClassRef{Name: "NSURL", Framework: "Foundation"}
	classNumber       = ClassRef{Name: "NSNumber", Framework: "Foundation"}
	classError        = ClassRef{Name: "NSError", Framework: "Foundation"}
	classProcessInfo  = ClassRef{Name: "NSProcessInfo", Framework: "Foundation"}
)

func fn(i int) *Method { return &foundationMethods[i] }

// build allocates an instance of the class and initializes it with a method of the init family. If
// that fails, it reports a fault and returns nil.
func build(class *ClassRef, init int, args ...uintptr) ID {
	id, err := class.Alloc()
	if err != nil {
		report("+["+class.Name+" alloc]", err)
		return 0
	}
	return ID(fn(init).Call(id, args...))
}
