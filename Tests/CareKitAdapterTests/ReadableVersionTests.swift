import CareKitStore
import CarePlans
import Core
import Foundation
import Testing

@testable import CareKitAdapter

/// Every version that our types read is one that CareKit's `Codable` decodes: each member of valid versions is replaced by
/// values of other types and by values at the edges, or is removed.
@Suite("Readable versions") struct ReadableVersionTests {
    private static func number(_ text: String) -> JSON { .number(JSONNumber(text: text) ?? 0) }

    private static let values: [JSON] = [
        .null, true, 0, 1, -1, 3_000_000_000, "", "x", "2", "UTC", "4E3D2C1B-0000-4000-8000-00000000000A", "AA==",
        [], [1], ["x"], [.null], [[:]], [:], ["identifier": "UTC"], ["identifier": "x", "preferences": 5], ["a": 1],
        ["day": 1], ["day": 1, "isLeapMonth": "x"], ["day": 1, "calendar": 5], ["isAllDay": .null, "seconds": 5],
        ["identifier": "UTC", "autoupdating": 1], ["value": 1], ["type": "date", "value": "soon", "createdDate": 0],
        ["type": "integer", "value": 2, "createdDate": 1, "units": 3], number("1.0"), number("1e2"), number("1.5"),
        number("1e400"), number("1e-400"), number("9223372036854775808"), number("9e18"), number("3.2e11"),
    ]

    /// A version with each kind of target value, and a locale with settings of the device.
    private static func versions() throws -> [CareEntity] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var value = OCKOutcomeValue(5, units: "km")
        value.kind = "k"
        let values = [
            value, OCKOutcomeValue(1.5), OCKOutcomeValue("x"), OCKOutcomeValue(true), OCKOutcomeValue(Make.day),
            OCKOutcomeValue(Data([1, 2])),
        ]
        let element = OCKScheduleElement(
            start: Make.day, end: Make.day.addingTimeInterval(1e6), interval: DateComponents(day: 1), text: "t",
            targetValues: values, duration: .seconds(60), calendar: calendar)
        let task = OCKTask(id: "a", title: "A", carePlanUUID: UUID(), schedule: OCKSchedule(composing: [element]))
        let outcome = OCKOutcome(taskUUID: task.uuid, taskOccurrenceIndex: 0, values: values)
        let patient = OCKPatient(id: "p", givenName: "A", familyName: "B")
        return try [.task(Make.sent(task)), .outcome(Make.sent(outcome)), .patient(Make.sent(patient))].map {
            try CareKitConversion.version($0)
        }
    }

    /// The values that result if one member or element of a value is replaced.
    private func replacements(in json: JSON, by value: JSON?) -> [JSON] {
        var replaced: [JSON] = []
        for member in json.object?.members ?? [] {
            for inner in [value] + replacements(in: member.value, by: value).map(Optional.some) {
                var changed = json
                changed[member.key] = inner
                replaced.append(changed)
            }
        }
        for (index, element) in (json.array ?? []).enumerated() {
            for inner in [value] + replacements(in: element, by: value).map(Optional.some) {
                guard var elements = json.array else { continue }
                if let inner { elements[index] = inner } else { elements.remove(at: index) }
                replaced.append(.array(elements))
            }
        }
        return replaced
    }

    @Test("a version that our types read is one that CareKit decodes")
    func decodable() throws {
        var (tried, read) = (0, 0)
        for version in try Self.versions() {
            for value in [JSON?.none] + Self.values.map(Optional.some) {
                for object in replacements(in: version.object, by: value) {
                    tried += 1
                    guard let changed = try? CareEntity(kind: version.kind, object: object) else { continue }
                    if changed.kind == .task, (try? CareTask(changed)) == nil { continue }
                    read += 1
                    #expect(throws: Never.self, "\(object.text())") { try CareKitConversion.entity(changed) }
                }
            }
        }
        print("\(tried) versions, \(read) of them read")
        #expect(tried > 3_000 && read > 300)
    }
}
