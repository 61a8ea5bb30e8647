import FHIR

/// The tree of a compiled expression. Names of functions and operators are resolved, so that evaluation compares no
/// strings.
indirect enum ExpressionNode: Sendable {
    case literal(FHIRPathValue)
    /// A text that is the pattern of `matches()` or a similar function, compiled once.
    case pattern(String, RegularExpression)
    /// `{}`
    case empty
    case this
    case index
    case total
    case variable(String, SourceLocation)
    /// A name at the beginning of an expression: an element of the focus, or the type of the focus itself.
    case name(MemberName)
    case member(ExpressionNode, MemberName)
    case call(ExpressionNode?, FHIRPathFunction, [ExpressionNode], SourceLocation)
    case indexer(ExpressionNode, ExpressionNode)
    case negation(ExpressionNode)
    /// A key of `sort()` followed by `desc`.
    case descending(ExpressionNode)
    /// `+x`
    case plus(ExpressionNode)
    case binary(FHIRPathOperator, ExpressionNode, ExpressionNode, SourceLocation)
    case isType(ExpressionNode, TypeSpecifier)
    case asType(ExpressionNode, TypeSpecifier)
    /// A type as the argument of `is`, `as` and `ofType`.
    case type(TypeSpecifier)
}

/// A type name, with the namespace `System` or `FHIR` if it was written.
struct TypeSpecifier: Sendable, Hashable {
    let namespace: String?
    let name: String
    let location: SourceLocation
    /// FHIR's type with the name; unknown if there is none, or if another namespace was requested.
    let type: TypeModel.TypeID
    let isPrimitive: Bool

    init(namespace: String?, name: String, location: SourceLocation) {
        self.namespace = namespace
        self.name = name
        self.location = location
        type = namespace == "System" ? .unknown : TypeModel.r4.type(name) ?? .unknown
        isPrimitive = TypeModel.r4.isPrimitive(type)
    }

    var text: String { namespace.map { $0 + "." + name } ?? name }
}

/// The binary operators (<https://hl7.org/fhirpath/N1/#operations>).
enum FHIRPathOperator: String, Sendable {
    case multiply = "*"
    case divide = "/"
    case div, mod
    case add = "+"
    case subtract = "-"
    case concatenate = "&"
    case union = "|"
    case lessOrEqual = "<="
    case less = "<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="
    case equivalent = "~"
    case notEqual = "!="
    case notEquivalent = "!~"
    case `in`, contains, and, or, xor, implies

    /// The precedence; higher binds tighter (<https://hl7.org/fhirpath/N1/#operator-precedence>). `is` and `as` have 9.
    var precedence: Int {
        switch self {
        case .multiply, .divide, .div, .mod: 11
        case .add, .subtract, .concatenate: 10
        case .union: 8
        case .lessOrEqual, .less, .greater, .greaterOrEqual: 7
        case .equal, .equivalent, .notEqual, .notEquivalent: 6
        case .in, .contains: 5
        case .and: 4
        case .or, .xor: 3
        case .implies: 2
        }
    }

    static let typePrecedence = 9
}
