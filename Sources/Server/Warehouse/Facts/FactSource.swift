import FHIR
import Foundation
import HealthData
import SleepNights

/// The source of a resource, as far as it is known. It is a property of the visit, because it applies to the whole
/// resource (`location_cd`). The raw value is the code in that column.
enum FactSource: String, Sendable, CaseIterable {
    /// A person typed the value into a health store.
    case typed = "TRIBUTARY:SOURCE-TYPED"
    /// An app: a form that was answered in it, or a third party's app or device.
    case app = "TRIBUTARY:SOURCE-APP"
    case phone = "TRIBUTARY:SOURCE-PHONE"
    case watch = "TRIBUTARY:SOURCE-WATCH"
    /// Staff, or a hospital's own record.
    case clinic = "TRIBUTARY:SOURCE-CLINIC"

    var title: String {
        switch self {
        case .typed: "Typed in by hand"
        case .app: "App"
        case .phone: "Phone"
        case .watch: "Watch"
        case .clinic: "Clinic"
        }
    }

    /// The column that contains the code.
    static let column = "location_cd"

    init(_ rank: SourceRank) {
        self =
            switch rank.level {
            case .enteredByHand: .typed
            case .watch: .watch
            case .phone: .phone
            case .other: .app
            }
    }

    init(_ observation: Observation) {
        if observation.identifier.contains(where: { $0.system == ClinicalRecord.idSystem })
            || Self.names(staff: observation.performer)
        {
            self = .clinic
            return
        }
        let product = observation.device?.display.flatMap(HealthProduct.init) ?? .app
        self.init(SourceRank(product, isEnteredByHand: HealthContext.isEnteredByHand(observation.method)))
    }

    init(_ response: QuestionnaireResponse) {
        self = Self.names(staff: [response.author, response.source].compactMap { $0 }) ? .clinic : .app
    }

    private static let staff: Set<String> = ["Practitioner", "PractitionerRole", "Organization", "CareTeam"]

    private static func names(staff references: [Reference]) -> Bool {
        references.contains { reference in
            (reference.type ?? reference.literal?.type).map { staff.contains($0) } ?? false
        }
    }
}
