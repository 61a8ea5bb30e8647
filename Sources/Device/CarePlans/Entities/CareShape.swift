import Core
import Foundation

/// The form of a value that CareKit's `Codable` reads.
indirect enum CareShape: Sendable {
    case text
    case flag
    case integer
    /// An integer in these bounds.
    case bounded(ClosedRange<Int>)
    /// Seconds since 2001.
    case date
    case uuid
    case timeZone
    /// One of these texts.
    case choice([String])
    case list(CareShape)
    /// An object whose values have one form.
    case map(CareShape)
    case object([Member])
    /// A dictionary whose keys are 32-bit numbers, in Foundation's form: an array of a number, its text, and so on.
    case numberedTexts
    case outcomeValue
    /// A schedule. Only its presence is checked here; ``CareSchedule`` reads it, and checks ``scheduleElement``.
    case schedule

    /// A member of an object.
    struct Member: Sendable {
        let name: String
        let shape: CareShape
        let isRequired: Bool

        static func required(_ name: String, _ shape: CareShape = .text) -> Member {
            Member(name: name, shape: shape, isRequired: true)
        }

        static func optional(_ name: String, _ shape: CareShape = .text) -> Member {
            Member(name: name, shape: shape, isRequired: false)
        }
    }

    /// Checks a value.
    ///
    /// - Throws: ``CarePlanError`` `entity-invalid` with the path of the first member that CareKit does not read.
    func check(_ value: JSON, at path: String) throws(CarePlanError) {
        switch self {
        case .list(let shape):
            guard let array = value.array else { throw CarePlanError(.entityInvalid, at: path) }
            for (index, element) in array.enumerated() { try shape.check(element, at: "\(path)[\(index)]") }
        case .map(let shape):
            guard let object = value.object else { throw CarePlanError(.entityInvalid, at: path) }
            for member in object.members { try shape.check(member.value, at: path + "." + member.key) }
        case .object(let members): try Self.check(members, of: value, at: path)
        case .outcomeValue: try Self.checkOutcomeValue(value, at: path)
        default: guard reads(value) else { throw CarePlanError(.entityInvalid, at: path) }
        }
    }

    private static func check(_ members: [Member], of value: JSON, at path: String) throws(CarePlanError) {
        guard let object = value.object else { throw CarePlanError(.entityInvalid, at: path) }
        for member in members {
            let path = path + "." + member.name
            if let value = object[member.name], !value.isNull {
                try member.shape.check(value, at: path)
            } else if member.isRequired {
                throw CarePlanError(.entityInvalid, at: path)
            }
        }
    }

    private static let outcomeValueMembers: [Member] = [
        .required("type", .choice(["integer", "double", "boolean", "text", "binary", "date"])),
        .required("createdDate", .date), .optional("kind"), .optional("units"),
    ]

    private static func checkOutcomeValue(_ value: JSON, at path: String) throws(CarePlanError) {
        try check(outcomeValueMembers, of: value, at: path)
        let isRead: Bool
        let content = value["value"] ?? .null
        switch value["type"]?.string {
        case "integer": isRead = integer.reads(content)
        case "double": isRead = content.number?.careDouble != nil
        case "boolean": isRead = flag.reads(content)
        case "binary": isRead = content.string.map { Data(base64Encoded: $0) != nil } ?? false
        case "date": isRead = date.reads(content)
        default: isRead = text.reads(content)
        }
        guard isRead else { throw CarePlanError(.entityInvalid, at: path + ".value") }
    }

    /// Whether CareKit reads a value without members.
    private func reads(_ value: JSON) -> Bool {
        switch self {
        case .text: value.string != nil
        case .flag: value.bool != nil
        case .integer:
            value.number.map { number in
                number.integer != nil || number.double.rounded() == number.double && number.double.magnitude < 9e18
            } ?? false
        case .bounded(let bounds):
            Self.integer.reads(value)
                && value.number.map { Double(bounds.lowerBound)...Double(bounds.upperBound) ~= $0.double } ?? false
        case .numberedTexts: value.array.map(Self.areNumberedTexts) ?? false
        case .date: Date(careSeconds: value) != nil
        case .uuid: value.string.map { UUID(text: $0) != nil } ?? false
        case .timeZone: CareCalendar.timeZone(value) != nil
        case .choice(let texts): value.string.map { texts.contains($0) } ?? false
        case .schedule: value["elements"]?.array != nil
        case .list, .map, .object, .outcomeValue: false
        }
    }

    private static func areNumberedTexts(_ values: [JSON]) -> Bool {
        values.count.isMultiple(of: 2)
            && values.indices.allSatisfy { index in
                let value = values[index]
                return index.isMultiple(of: 2)
                    ? value.integer.map { UInt32(exactly: $0) != nil } ?? false : value.string != nil
            }
    }
}
