import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CarePlans

/// Random plans: entities of every kind with any of their members, changed and deleted, with outcomes of every type.
struct RandomPlan {
    private(set) var edit: CarePlanEdit
    private var generator: Seeded
    private let zone: String

    private static let epoch = Fixture.seconds("2026-01-01T00:00:00Z")
    private static let texts = [
        "Walk", "a", "Blutdruck messen", "  spaces  ", "名前", "two\nlines", "\"quoted\" \\", "é\u{301}", "🚶‍♀️",
        "<b>&amp;</b>", "tab\there",
    ]

    init(_ generator: inout Seeded) throws {
        let seed = generator.next()
        self.generator = Seeded(seed)
        zone = RandomSchedule.zones.randomElement(using: &self.generator) ?? "UTC"
        let identities = Mutex(Seeded(seed ^ 0xFFFF))
        let now = Self.epoch + Double.random(in: 0..<1e7, using: &self.generator)
        edit = CarePlanEdit(
            CarePlanContents(), now: Date(timeIntervalSinceReferenceDate: now),
            timeZone: try #require(TimeZone(identifier: zone)),
            makeUUID: { identities.withLock { UUID(($0.next(), $0.next())) } })
        try make()
    }

    var contents: CarePlanContents { edit.contents }

    private mutating func chance(_ denominator: Int) -> Bool { Int.random(in: 0..<denominator, using: &generator) == 0 }
    private mutating func text() -> JSON { .string(Self.texts.randomElement(using: &generator) ?? "") }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    private mutating func seconds() -> JSON {
        Fixture.number(Self.epoch + Double.random(in: -3e7...3e7, using: &generator) * (chance(2) ? 1 : 0.5))
    }

    /// Members that every version may have.
    private mutating func common(_ id: String) -> JSON {
        var object: JSON = ["id": .string(id)]
        if chance(3) { object["groupIdentifier"] = text() }
        if chance(3) { object["tags"] = .array((0..<number(0...3)).map { _ in text() }) }
        if chance(3) { object["remoteID"] = text() }
        if chance(3) { object["source"] = text() }
        if chance(3) { object["asset"] = text() }
        if chance(3) { object["userInfo"] = ["key": text(), "other": text()] }
        if chance(3) {
            object["notes"] = .array(
                (0..<number(0...2)).map { _ in ["author": text(), "title": text(), "content": text()] })
        }
        if chance(4) { object["timezone"] = .string("Asia/Tokyo") }
        if chance(4) { object["effectiveDate"] = seconds() }
        return object
    }

    private mutating func name() -> JSON {
        var name: JSON = [:]
        for part in ["namePrefix", "givenName", "middleName", "familyName", "nameSuffix", "nickname"] where chance(2) {
            name[part] = text()
        }
        return name
    }

    private mutating func labelled() -> JSON {
        .array((0..<number(0...3)).map { _ in ["label": text(), "value": text()] })
    }

    private mutating func value() -> JSON {
        var value: JSON
        switch number(0...5) {
        case 0: value = ["value": .number(JSONNumber(number(-5...1_000)))]
        case 1: value = ["value": Fixture.number(Double(number(-500...5_000)) / 8), "type": "double"]
        case 2: value = ["value": .bool(chance(2))]
        case 3: value = ["value": text()]
        case 4: value = ["value": "AQID", "type": "binary"]
        default: value = ["value": seconds(), "type": "date"]
        }
        if chance(2) { value["kind"] = text() }
        if chance(2) {
            value["units"] = .string(["mmHg", "°C", "steps", "mg", "%", " "].randomElement(using: &generator) ?? "")
        }
        if chance(2) { value["createdDate"] = seconds() }
        return value
    }

    private mutating func schedule() -> JSON {
        let elements = (0..<(chance(4) ? number(2...3) : 1)).map { _ in
            var element = RandomSchedule().element(&generator)
            if chance(2) { element["text"] = text() }
            if chance(2) { element["targetValues"] = .array((0..<number(1...2)).map { _ in value() }) }
            return element
        }
        return ["elements": .array(elements)]
    }

    private mutating func task(_ id: String, plan: UUID?) -> JSON {
        var task = common(id)
        task["effectiveDate"] = nil
        if chance(2) { task["title"] = text() }
        if chance(2) { task["instructions"] = text() }
        if chance(3) { task["impactsAdherence"] = .bool(chance(2)) }
        if let plan, chance(2) { task["carePlanUUID"] = .string(plan.uuidString) }
        task["schedule"] = schedule()
        return task
    }

    private mutating func make() throws {
        var patient = common("patient")
        patient["name"] = name()
        if chance(2) {
            patient["sex"] = .string(["male", "female", "intersex", ""].randomElement(using: &generator) ?? "")
        }
        if chance(2) { patient["birthday"] = seconds() }
        if chance(2) { patient["allergies"] = .array((0..<number(0...3)).map { _ in text() }) }
        let person = chance(6) ? nil : try edit.add(.patient, patient)
        var plans: [UUID] = []
        for index in 0..<number(0...2) {
            var plan = common("plan \(index)")
            plan["title"] = text()
            if let person, chance(2) { plan["patientUUID"] = .string(person.uuid.uuidString) }
            plans.append(try edit.add(.carePlan, plan).uuid)
        }
        for index in 0..<number(0...3) {
            try makeContact("contact \(index)", plan: plans.randomElement(using: &generator))
        }
        for index in 0..<number(1...4) { try makeTask("task \(index)", plan: plans.randomElement(using: &generator)) }
        if chance(3) {
            var linked = task("linked", plan: nil)
            linked["healthKitLinkage"] = [
                "quantityIdentifier": "HKQuantityTypeIdentifierStepCount", "quantityType": "cumulative",
                "unitString": "count",
            ]
            _ = try? edit.add(.healthKitTask, linked)
        }
    }

    private mutating func makeContact(_ id: String, plan: UUID?) throws {
        var contact = common(id)
        contact["name"] = name()
        if let plan, chance(2) { contact["carePlanUUID"] = .string(plan.uuidString) }
        for member in ["emailAddresses", "messagingNumbers", "phoneNumbers", "otherContactInfo"] where chance(2) {
            contact[member] = labelled()
        }
        for member in ["organization", "title", "role"] where chance(2) { contact[member] = text() }
        if chance(2) { contact["category"] = chance(2) ? "careProvider" : "friendsAndFamily" }
        if chance(2) {
            contact["address"] = [
                "street": text(), "city": text(), "state": "", "postalCode": text(), "country": text(),
                "isoCountryCode": "ch", "subAdministrativeArea": "", "subLocality": "",
            ]
        }
        try edit.add(.contact, contact)
        if chance(5) { try edit.delete(.contact, id: id) }
    }

    private mutating func makeTask(_ id: String, plan: UUID?) throws {
        // A random schedule may drift. Such a task is left out.
        guard let version = try? edit.add(.task, task(id, plan: plan)) else { return }
        for _ in 0..<number(0...6) {
            let event = CareEvent.Key(task: version.uuid, occurrence: number(0...20))
            let values = (0..<number(0...3)).map { _ in value() }
            guard (try? edit.record(event, values: values)) != nil else { continue }
            if chance(3) { try edit.replaceValues(event, with: [value()]) }
            if chance(4) { try edit.removeOutcome(event) }
        }
        if chance(3) { _ = try? edit.update(.task, ["id": .string(id), "title": text()]) }
        if chance(6) { _ = try? edit.delete(.task, id: id) }
    }
}
