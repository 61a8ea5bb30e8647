import FHIR
import Foundation
import MotionAdapter
import Storage
import Testing
import Warehouse

@testable import Admission
@testable import Consumer

/// The minutes of a phone's motion coprocessor, from the report to the warehouse.
@Suite struct MotionActivityTests {
    private let midnight = Date(timeIntervalSince1970: 1_767_308_400)  // 2026-01-02T00:00:00+01:00
    private let zone = TimeZone(secondsFromGMT: 3_600) ?? .gmt

    private func day(walkingMinutes: Double) -> MotionPeriod {
        let start = midnight.addingTimeInterval(-86_400)
        let reports = [
            MotionActivity(start: start, kinds: .stationary),
            MotionActivity(start: start.addingTimeInterval(30_000), kinds: .walking),
            MotionActivity(start: start.addingTimeInterval(30_000 + walkingMinutes * 60), kinds: .stationary),
        ]
        return MotionPeriod(MotionRules.intervals(reports, until: midnight), from: start, to: midnight)
    }

    /// A study that does not accept C3-PRO's own messages takes these Observations as any others.
    @Test(arguments: [true, false])
    func minutesOfAPhoneAreRecordedAndFoundByTheirConcept(acceptsC3PRO: Bool) async throws {
        let fixture = try await ConsumerFixture(c3pro: C3PROAcceptance(isAccepted: acceptsC3PRO))
        let client = try await fixture.client()
        try await fixture.send(ConsumerFixture.contract("p1"), from: client)
        try await fixture.database.write {
            // The types of health data are not needed here; the activity summaries are always there.
            try WarehouseLoader().ensureHealthOntology([], at: Date(), in: $0)
        }
        func send(_ period: MotionPeriod) async throws {
            for observation in period.observations(subject: "p1", in: zone) {
                let outcome = try await fixture.send(observation.json.text(), from: client)
                #expect(outcome?.status == .stored, "\(outcome?.reasonCode ?? "")")
            }
        }
        try await send(day(walkingMinutes: 31))
        func patients(_ activity: String, _ minutes: String) async throws -> Int {
            let constraint = try ValueConstraint.parse(minutes)
            return try await fixture.database.read {
                try WarehouseQuery().count(
                    path: "\\Tributary\\Health\\Activity summaries\\motion-coprocessor.\(activity)\\",
                    value: constraint, from: nil, to: nil, in: $0
                ).patients
            }
        }
        #expect(try await patients("walking", "EQ 31") == 1)
        #expect(try await patients("sleeping", "GE 500") == 1)
        #expect(try await patients("running", "GE 0") == 0)
        let facts = try await fixture.facts
        // The same day again, with more minutes, replaces the fact.
        try await send(day(walkingMinutes: 45))
        #expect(try await patients("walking", "EQ 45") == 1)
        #expect(try await patients("walking", "EQ 31") == 0)
        #expect(try await fixture.facts == facts)
        let units = try await fixture.count(
            """
            SELECT count(*) AS number FROM observation_fact f JOIN concept_dimension c ON c.concept_cd = f.concept_cd
            WHERE c.concept_path LIKE '%motion-coprocessor.%' AND f.units_cd = 'min'
            """)
        #expect(units == 2)
        try await fixture.close()
    }
}
