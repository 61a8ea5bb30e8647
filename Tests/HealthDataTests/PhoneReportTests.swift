import FHIR
import FHIRValidation
import Foundation
import HealthData
import TestSupport
import Testing

@Suite struct PhoneReportTests {
    private let report = PhoneReport(
        participant: "p1", at: 1_800_000_000, isLowPower: true,
        streams: [
            .init(type: "HKQuantityTypeIdentifierStepCount", lastSample: nil, waiting: 7, quarantined: 0),
            .init(type: "HKQuantityTypeIdentifierHeartRate", lastSample: 1_799_999_000, waiting: 0, quarantined: 2),
        ])

    @Test func writtenReportIsReadUnchanged() throws {
        let resource = report.resource
        #expect(PhoneReport(resource, of: "p1") == report)
        #expect(PhoneReport(resource, of: "p2") == nil)
        #expect(resource.json["patient"]?["reference"]?.string == "Patient/p1")
        #expect(PhoneReport.id(of: "p1") != PhoneReport.id(of: "p2"))
        #expect(Resource.isID(PhoneReport.id(of: "p1")))
        let issues = FHIRValidator().validate(resource.json.data()).issues.filter { $0.severity >= .error }
        #expect(issues.isEmpty, "\(issues)")
    }

    @Test func resourceThatIsNotAReportIsRefused() throws {
        var random = Seeded.fresh()
        let bytes = Array(report.resource.json.data())
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[.random(in: 0..<changed.count, using: &random)] = .random(in: 0x20...0x7E, using: &random)
            }
            guard let resource = try? Resource(Data(changed)) else { continue }
            // It is read, or gives nil.
            _ = PhoneReport(resource, of: "p1")
        }
        #expect(PhoneReport(Patient(id: "p1").resource, of: "p1") == nil)
    }
}
