import FHIR
import Foundation

/// Terminology service for `memberOf()` and `subsumes()`.
public protocol FHIRPathTerminology: Sendable {
    /// Returns whether the code, Coding or CodeableConcept is in a value set; nil if the value set is not known.
    func memberOf(_ element: TypedElement, valueSet: String) -> Bool?
    /// Returns whether the first code equals or subsumes the second; nil if the code system is not known.
    func subsumes(_ general: TypedElement, _ special: TypedElement) -> Bool?
}

extension FHIRPathTerminology {
    /// Returns nil, because no code system is known.
    public func subsumes(_ general: TypedElement, _ special: TypedElement) -> Bool? { nil }
}

/// The context of an evaluation: the resource, variables, the instant, and services. The caller supplies all of it.
public struct FHIRPathContext: Sendable {
    /// Limits of one evaluation, so that every evaluation terminates.
    public struct Limits: Sendable {
        /// Maximum number of visited nodes of the expression and items.
        public var steps = 5_000_000
        /// Maximum number of items in one collection.
        public var items = 1_000_000
        /// Maximum number of characters in one text.
        public var characters = 4_000_000
        /// Maximum nesting of the evaluation.
        public var depth = 400

        /// Creates the default limits.
        public init() {}
    }

    /// `%context`: the element on which the expression is evaluated; nil for the input.
    public var context: TypedElement?
    /// `%resource`: the resource that contains the context.
    public var resource: TypedElement?
    /// `%rootResource`: the container of a contained resource, otherwise the resource.
    public var rootResource: TypedElement?
    /// The contained resources of ``rootResource`` by their ids, for callers that evaluate many expressions on one
    /// resource; if nil, they are searched in the resource.
    public var contained: [String: TypedElement]?
    /// Further variables, without the `%`.
    public var variables: [String: [FHIRPathValue]] = [:]
    /// Names of variables whose values are not available. An expression that reads one throws an error with the code
    /// ``FHIRPathError/undecidedCode``.
    public var undecided: Set<String> = []
    /// The instant that `now()`, `today()` and `timeOfDay()` return; the same for the whole evaluation.
    public var now: Date
    /// The time zone of the instant, in minutes east of UTC.
    public var offsetMinutes = 0
    /// Finds the target of a reference outside of the resource and its Bundle.
    public var resolver: (@Sendable (String) -> TypedElement?)?
    /// Terminology service; without it, `memberOf()` and `subsumes()` return an empty collection.
    public var terminology: (any FHIRPathTerminology)?
    /// Returns whether an element conforms to a profile; nil if the profile is not known.
    public var conformance: (@Sendable (TypedElement, String) -> Bool?)?
    /// Receives the output of `trace()`. The values may be health data, so the client decides where they are sent.
    public var trace: (@Sendable (String, [FHIRPathValue]) -> Void)?
    /// The limits of an evaluation.
    public var limits = Limits()

    /// Creates a context with only an instant.
    public init(now: Date = Date()) { self.now = now }
}
