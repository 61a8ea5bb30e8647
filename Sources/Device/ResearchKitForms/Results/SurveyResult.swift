import FHIR
import ResearchResults

/// A result of ResearchKit in the JSON of its serializer: `ORKTaskResult` with the results of steps, and those with the
/// results of questions.
///
/// The value has the JSON itself, so that nothing is lost: classes and members without a property here stay, in their
/// order, and numbers keep their digits.
///
/// ```swift
/// let result = try SurveyResult(Data(contentsOf: file))
/// print(result.className, result.results.count)
/// ```
public struct SurveyResult: Sendable, Hashable {
    /// Maximum number of bytes of a text that is read.
    public static let maximumBytes = 64 << 20
    /// Maximum depth of results in results. A task result has three levels.
    public static let maximumDepth = 32
    /// Maximum number of results in a text that is read.
    public static let maximumResults = 100_000

    /// The JSON of the result.
    public private(set) var object: JSONObject

    /// Creates a result of a class, such as `ORKStepResult`.
    public init(className: String, identifier: String) {
        object = JSONObject()
        object["_class"] = .string(className)
        object["identifier"] = .string(identifier)
    }

    package init(checked object: JSONObject) { self.object = object }

    /// The member with a name. Setting nil removes it.
    public subscript(member: String) -> JSON? {
        get {
            guard let value = object[member], !value.isNull else { return nil }
            return value
        }
        set { object[member] = newValue }
    }

    /// The JSON of the result.
    public var json: JSON { .object(object) }

    /// The name of ResearchKit's class: `_class`.
    public var className: String { self["_class"]?.string ?? "" }

    /// The identifier of the task, the step or the question; empty if there is none.
    public var identifier: String { self["identifier"]?.string ?? "" }

    /// The start, with the offset of the text.
    public var startDate: DateTime? {
        get { self["startDate"]?.string.flatMap(ResultTime.dateTime) }
        set { self["startDate"] = newValue.map { .string(ResultTime.text($0)) } }
    }

    /// The end, with the offset of the text.
    public var endDate: DateTime? {
        get { self["endDate"]?.string.flatMap(ResultTime.dateTime) }
        set { self["endDate"] = newValue.map { .string(ResultTime.text($0)) } }
    }

    /// The results inside, in their order: those of steps in a task result, those of questions in a step result.
    public var results: [SurveyResult] {
        get { (self["results"]?.array ?? []).compactMap { $0.object.map(SurveyResult.init(checked:)) } }
        set { self["results"] = .array(newValue.map(\.json)) }
    }

    /// Whether the person has answered that they do not know or do not want to answer: `noAnswerType`.
    public var isWithoutAnswer: Bool { self["noAnswerType"] != nil }
}
