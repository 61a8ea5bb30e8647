import FHIR
import Foundation

/// The meaning of codes, for `memberOf()` and `subsumes()`.
public protocol FHIRPathTerminology: Sendable {
    /// Whether the code, Coding or CodeableConcept is in a value set; nil where the value set is not known.
    func memberOf(_ element: TypedElement, valueSet: String) -> Bool?
    /// Whether the first code is the second or more general; nil where the code system is not known.
    func subsumes(_ general: TypedElement, _ special: TypedElement) -> Bool?
}

extension FHIRPathTerminology {
    /// Returns nil: no code system is known.
    public func subsumes(_ general: TypedElement, _ special: TypedElement) -> Bool? { nil }
}

/// The surroundings of an evaluation: the resource, variables, the instant, and services. All of it is passed in.
public struct FHIRPathContext: Sendable {
    /// Bounds on one evaluation, so that no expression runs away.
    public struct Limits: Sendable {
        /// Nodes of the expression that are visited, and items that are looked at.
        public var steps = 5_000_000
        /// Items in one collection.
        public var items = 1_000_000
        /// Characters in one text.
        public var characters = 4_000_000
        /// How deep evaluation may nest.
        public var depth = 400

        /// Makes the bounds that hold where nothing else is said.
        public init() {}
    }

    /// `%context`: what the expression was asked of; the input where nil.
    public var context: TypedElement?
    /// `%resource`: the resource that contains the context.
    public var resource: TypedElement?
    /// `%rootResource`: the container of a contained resource, else the resource.
    public var rootResource: TypedElement?
    /// The contained resources of ``rootResource`` by their ids, from whoever evaluates many expressions on one resource;
    /// nil where they are to be looked for.
    public var contained: [String: TypedElement]?
    /// Further variables, without the `%`.
    public var variables: [String: [FHIRPathValue]] = [:]
    /// The instant that `now()`, `today()` and `timeOfDay()` tell; the same for the whole evaluation.
    public var now: Date
    /// Minutes east of UTC in which the instant is told.
    public var offsetMinutes = 0
    /// Finds what a reference points to beyond the resource and its Bundle.
    public var resolver: (@Sendable (String) -> TypedElement?)?
    /// Answers for codes; without it `memberOf()` and `subsumes()` give nothing.
    public var terminology: (any FHIRPathTerminology)?
    /// Whether an element conforms to a profile; nil where the profile is not known.
    public var conformance: (@Sendable (TypedElement, String) -> Bool?)?
    /// Receives what `trace()` shows. The values may be health data: who sets it decides where they go.
    public var trace: (@Sendable (String, [FHIRPathValue]) -> Void)?
    /// The bounds.
    public var limits = Limits()

    /// Makes a context with an instant and nothing else.
    public init(now: Date = Date()) { self.now = now }
}
