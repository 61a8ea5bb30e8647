import Core
import Foundation

/// A task result of ResearchKit that can be saved: lossless JSON with the members by which it is found.
///
/// The key of a result is its `taskRunUUID`. The descriptor, the name of a study, is not part of the key and not part of
/// the JSON; a result without descriptor has the descriptor `""`. Classes and members without a property here stay as
/// they are.
///
/// ```swift
/// let result = try ResearchResult(bytes, descriptor: "sleep")
/// print(result.id, result.identifier, result.descriptor)
/// ```
public struct ResearchResult: Sendable, Hashable {
    /// Maximum number of bytes of a result.
    public static let maximumBytes = 8 << 20
    /// Maximum number of bytes of a descriptor.
    public static let maximumDescriptorBytes = 256

    /// The JSON of the result, as read.
    public let object: JSONObject
    /// The result's `taskRunUUID`.
    public let uuid: UUID
    /// The name of the study; empty for none.
    public let descriptor: String

    /// Reads a result.
    ///
    /// - Parameters:
    ///   - bytes: one JSON text. More than ``maximumBytes`` are refused before they are read.
    ///   - descriptor: the name of the study; nil means `""`.
    /// - Throws: ``ResearchResultError`` with the location.
    public init(_ bytes: some Collection<UInt8>, descriptor: String? = nil) throws(ResearchResultError) {
        guard bytes.count <= Self.maximumBytes else {
            throw ResearchResultError(.tooLarge, at: "\(bytes.count) bytes")
        }
        let json: JSON
        do throws(JSONError) {
            json = try JSON(bytes)
        } catch {
            throw ResearchResultError(
                error.reason == .tooDeep ? .tooDeep : .notJSON, at: "line \(error.line), column \(error.column)")
        }
        try self.init(json: json, descriptor: descriptor)
    }

    /// Creates a result from JSON that is read already.
    ///
    /// - Throws: ``ResearchResultError`` with the location.
    public init(json: JSON, descriptor: String? = nil) throws(ResearchResultError) {
        guard json.byteCount(upTo: Self.maximumBytes) != nil else { throw ResearchResultError(.tooLarge, at: "$") }
        guard let object = json.object, object["_class"]?.string != nil else {
            throw ResearchResultError(.classMissing, at: "$")
        }
        guard !ResultTree(json).exceedsLimit else { throw ResearchResultError(.tooMany, at: "$") }
        if let identifier = object["identifier"], !identifier.isNull, identifier.string == nil {
            throw ResearchResultError(.malformed, at: "$.identifier")
        }
        for name in ["startDate", "endDate"] {
            guard let date = object[name], !date.isNull else { continue }
            guard date.string.flatMap(ResultTime.dateTime) != nil else {
                throw ResearchResultError(.malformed, at: "$.\(name)")
            }
        }
        guard let written = object["taskRunUUID"], !written.isNull else {
            throw ResearchResultError(.uuidMissing, at: "$.taskRunUUID")
        }
        guard let uuid = written.string.flatMap({ UUID(text: $0) }) else {
            throw ResearchResultError(.uuidInvalid, at: "$.taskRunUUID")
        }
        self.object = object
        self.uuid = uuid
        self.descriptor = try Self.checked(descriptor: descriptor)
    }

    /// Returns a descriptor as it is stored: `""` for nil.
    ///
    /// - Throws: ``ResearchResultError`` `descriptor-invalid`.
    public static func checked(descriptor: String?) throws(ResearchResultError) -> String {
        let descriptor = descriptor ?? ""
        guard descriptor.utf8.count <= maximumDescriptorBytes,
            descriptor.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw ResearchResultError(.descriptorInvalid, at: "descriptor") }
        return descriptor
    }

    /// The JSON of the result.
    public var json: JSON { .object(object) }

    /// The result's `taskRunUUID` in lower case, as in the URL of the result.
    public var id: String { uuid.lowercaseText }

    /// The name of ResearchKit's class or of the app's own: `_class`.
    public var className: String { object["_class"]?.string ?? "" }

    /// The identifier of the task; empty if there is none.
    public var identifier: String { object["identifier"]?.string ?? "" }

    /// The start, with the offset of the text; nil if there is none.
    public var startDate: DateTime? { object["startDate"]?.string.flatMap(ResultTime.dateTime) }

    /// The end, with the offset of the text; nil if there is none.
    public var endDate: DateTime? { object["endDate"]?.string.flatMap(ResultTime.dateTime) }
}
