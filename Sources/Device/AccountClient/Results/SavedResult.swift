import Core
import ResearchResults

/// The effect of saving a result; the raw value is CMHealth's status.
public enum ResultStatus: String, Sendable, Hashable, CaseIterable {
    /// The account had no result with this `taskRunUUID`.
    case created
    /// The result replaces an earlier one.
    case updated
}

/// A result as the server has it, or the reason why the server cannot read it. One bad result is reported, and the others
/// are still returned.
public struct SavedResult: Sendable, Hashable {
    /// The result's `taskRunUUID`.
    public let id: String
    /// The JSON of the result as it was saved; nil if the server cannot read it.
    public let result: JSON?
    /// The code of the server's problem; nil for a result.
    public let problem: String?

    /// Reads a row of a list of results; nil if it is none.
    init?(json: JSON) {
        guard let id = json["id"]?.string, AccountText.isID(id) else { return nil }
        self.id = id
        result = json.present("result")
        guard result == nil else {
            problem = nil
            return
        }
        guard let problem = json["problem"] else { return nil }
        self.problem = problem.string ?? problem["code"]?.string ?? "result-unreadable"
    }
}
