import Foundation

/// The plan of the house: where each module stands, and which modules of ours it may import.
///
/// It says the same as docs/architecture.md. A new edge is a decision: it is made there first, and then here.
struct House {
    struct Room {
        let name: String
        /// The folder, from the package's root.
        let folder: String
        let mayImport: Set<String>
        /// Whether the module builds for iOS and macOS and is a product.
        var isPortable = false
        /// Whether the room is the command line or its composition root, which know all floors.
        var isOpen = false
    }

    let rooms: [Room]

    var names: Set<String> { Set(rooms.map(\.name)) }

    func room(_ name: String) -> Room? { rooms.first { $0.name == name } }

    /// All rooms of the plan, built or not yet.
    static let planned = House(rooms: cellar + language + wire + device + apple + imports + server + tools)

    private static let cellar = ["CPQ", "CXML2", "CArchive", "CHaru", "CQREncode", "COpenSSL", "CDescriptorReserve"].map
    {
        Room(name: $0, folder: "Sources/System/\($0)", mayImport: [])
    }

    private static let language = [
        language("Core", []),
        language("FHIR", []),
        language("UCUM", []),
        language("FHIRPath", ["FHIR", "UCUM"]),
        language("FHIRValidation", ["FHIR", "FHIRPath", "UCUM"]),
        language("FHIRVersions", ["FHIR"]),
        Room(name: "FHIRXML", folder: "Sources/Language/FHIRXML", mayImport: ["FHIR", "CXML2"]),
    ]

    private static let wire = [Room(name: "Wire", folder: "Sources/Wire", mayImport: [], isPortable: true)]

    private static let device = [
        device("Questionnaires", ["FHIR", "FHIRPath", "UCUM"]),
        device("InformedConsent", ["FHIR"]),
        device("CarePlans", ["FHIR"]),
        device("HealthData", ["FHIR", "UCUM"]),
        device("HealthSync", ["HealthData"]),
        device("Outbox", ["Wire"]),
        device("Wallet", ["Wire"]),
    ]

    private static let apple = [
        Room(
            name: "ResearchKitAdapter", folder: "Sources/Apple/ResearchKitAdapter",
            mayImport: ["Questionnaires", "FHIR"], isPortable: true),
        Room(
            name: "HealthKitAdapter", folder: "Sources/Apple/HealthKitAdapter", mayImport: ["HealthData", "FHIR"],
            isPortable: true),
        Room(
            name: "CareKitAdapter", folder: "Sources/Apple/CareKitAdapter", mayImport: ["CarePlans", "FHIR"],
            isPortable: true),
    ]

    private static let imports = [
        Room(
            name: "AppleHealthExport", folder: "Sources/Import/AppleHealthExport",
            mayImport: ["HealthData", "FHIR", "CArchive"]),
        Room(
            name: "ConsentDocument", folder: "Sources/Import/ConsentDocument",
            mayImport: ["InformedConsent", "CHaru", "CQREncode"]),
    ]

    private static let server = [
        server("ServerHTTP", ["CDescriptorReserve"]),
        server("Storage", ["CPQ"]),
        server("Trust", ["Storage"]),
        server("Accounts", ["Storage", "Trust"]),
        server("Records", ["ServerHTTP", "Storage", "Trust", "FHIR", "FHIRPath", "FHIRValidation"]),
        server("Warehouse", ["Storage", "Records", "FHIR", "Questionnaires", "HealthData", "UCUM"]),
        server("Receiver", ["ServerHTTP", "Wire", "Storage", "Trust", "COpenSSL"]),
        server(
            "Consumer",
            [
                "Wire", "Storage", "Trust", "Records", "Warehouse", "HealthData", "InformedConsent", "FHIR",
                "FHIRVersions", "FHIRValidation", "COpenSSL",
            ]),
        server("DeviceGateway", ["HealthData", "Records", "Storage", "Trust", "FHIR"]),
        server("Portal", ["Records", "Trust", "Accounts", "Questionnaires", "InformedConsent", "FHIR"]),
    ]

    private static let tools = [
        Room(
            name: "TributaryServer", folder: "Sources/Tools/TributaryServer",
            mayImport: Set(server.map(\.name)).union(belowServer), isOpen: false),
        Room(name: "tributary", folder: "Sources/Tools/tributary", mayImport: [], isOpen: true),
    ]

    /// What the composition root needs of the floors below to put the server modules together.
    private static let belowServer: Set<String> = ["Wire", "FHIR", "InformedConsent", "CArchive"]

    private static func language(_ name: String, _ mayImport: Set<String>) -> Room {
        Room(name: name, folder: "Sources/Language/\(name)", mayImport: mayImport, isPortable: true)
    }

    private static func device(_ name: String, _ mayImport: Set<String>) -> Room {
        Room(name: name, folder: "Sources/Device/\(name)", mayImport: mayImport, isPortable: true)
    }

    private static func server(_ name: String, _ mayImport: Set<String>) -> Room {
        Room(name: name, folder: "Sources/Server/\(name)", mayImport: mayImport)
    }
}
