// swift-tools-version: 6.2
import PackageDescription

// Modules stand in layers (docs/architecture.md): System, Language, Wire, Device, Import, Documents, Server, Tools.
// Which module may import which is checked by Tests/ArchitectureTests.

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")

/// What the server and the command line stand on. An app that takes the libraries alone turns the trait off
/// (`traits: []`), and none of it is resolved for the app.
let serverAlone: TargetDependencyCondition? = .when(traits: ["Server"])
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird", condition: serverAlone)
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird", condition: serverAlone)
let hummingbirdTesting: Target.Dependency = .product(
    name: "HummingbirdTesting", package: "hummingbird", condition: serverAlone)
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift", condition: serverAlone)
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift", condition: serverAlone)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: serverAlone)
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics", condition: serverAlone)
let lifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: serverAlone)
let arguments: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: serverAlone)

/// System libraries: headers only. `CDescriptorReserve` is C of our own.
let system: [Target] = [
    .target(name: "CDescriptorReserve", path: "Sources/System/CDescriptorReserve"),
    .systemLibrary(
        name: "CXML2", path: "Sources/System/CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
        name: "CArchive", path: "Sources/System/CArchive", pkgConfig: "libarchive",
        providers: [.apt(["libarchive-dev"])]),
    .systemLibrary(name: "CHaru", path: "Sources/System/CHaru", providers: [.apt(["libhpdf-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
        name: "CQREncode", path: "Sources/System/CQREncode", pkgConfig: "libqrencode",
        providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CPQ", path: "Sources/System/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
        name: "CZstd", path: "Sources/System/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .systemLibrary(name: "CPNG", path: "Sources/System/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
        name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
]

let language: [Target] = [
    .target(name: "Core", path: "Sources/Language/Core"),
    .target(name: "FHIR", dependencies: ["Core"], path: "Sources/Language/FHIR"),
    .target(name: "UCUM", dependencies: ["Core"], path: "Sources/Language/UCUM"),
    .target(name: "FHIRPath", dependencies: ["Core", "FHIR", "UCUM"], path: "Sources/Language/FHIRPath"),
    .target(
        name: "FHIRValidation", dependencies: ["FHIR", "FHIRPath", "UCUM"], path: "Sources/Language/FHIRValidation"),
    .target(name: "FHIRVersions", dependencies: ["FHIR"], path: "Sources/Language/FHIRVersions"),
    .target(name: "JSONQuery", dependencies: ["Core"], path: "Sources/Language/JSONQuery"),
    .target(name: "FHIRXML", dependencies: ["Core", "FHIR", "CXML2"], path: "Sources/Language/FHIRXML"),
    .target(name: "FHIRPatch", dependencies: ["Core", "FHIR", "FHIRPath"], path: "Sources/Language/FHIRPatch"),
    .target(
        name: "FHIRSearch", dependencies: ["Core", "FHIR", "FHIRPath", "UCUM", crypto],
        path: "Sources/Language/FHIRSearch"),
]

let wire: [Target] = [
    .target(name: "Wire", dependencies: ["Core", crypto, cryptoExtras, asn1], path: "Sources/Wire")
]

let device: [Target] = [
    .target(name: "Attachments", dependencies: ["Core", crypto], path: "Sources/Device/Attachments"),
    .target(
        name: "Questionnaires", dependencies: ["Core", "FHIR", "FHIRPath", "UCUM"],
        path: "Sources/Device/Questionnaires"),
    .target(
        name: "InformedConsent", dependencies: ["FHIR", "Attachments", crypto], path: "Sources/Device/InformedConsent"),
    .target(name: "HealthTypes", dependencies: ["Core", "FHIR", "UCUM"], path: "Sources/Device/HealthTypes"),
    .target(
        name: "HealthData", dependencies: ["Core", "FHIR", "HealthTypes", crypto], path: "Sources/Device/HealthData"),
    .target(
        name: "SleepNights", dependencies: ["Core", "FHIR", "HealthTypes", "HealthData"],
        path: "Sources/Device/SleepNights"),
    .target(
        name: "HealthSync", dependencies: ["Core", "FHIR", "HealthTypes", "HealthData"],
        path: "Sources/Device/HealthSync"),
    .target(name: "HTTPTransport", dependencies: ["Core"], path: "Sources/Device/HTTPTransport"),
    .target(name: "FHIRClient", dependencies: ["Core", "FHIR", "HTTPTransport"], path: "Sources/Device/FHIRClient"),
    .target(
        name: "Outbox", dependencies: ["Core", "Wire", "Attachments", "HTTPTransport", crypto],
        path: "Sources/Device/Outbox"),
    .target(
        name: "HealthStores",
        dependencies: [
            "Core", "FHIR", "HealthData", "HealthSync", "Wire", "Attachments", "HTTPTransport", "FHIRClient", "Outbox",
            crypto,
        ],
        path: "Sources/Device/HealthStores"),
]

/// HealthKit where there is none: a stand-in for tests. On Apple's systems it would shadow the real one, and the adapter imports
/// that.
#if os(Linux)
    let standIns: [Target] = [
        .target(name: "HealthKit", dependencies: ["HealthTypes"], path: "Tests/AppleShims/HealthKit")
    ]
    let healthKit: [Target.Dependency] = ["HealthKit"]
#else
    let standIns: [Target] = []
    let healthKit: [Target.Dependency] = []
#endif

let apple: [Target] = [
    .target(
        name: "HealthKitAdapter",
        dependencies: ["Core", "FHIR", "HealthTypes", "HealthData", "HealthSync", "HealthStores", "Outbox"] + healthKit,
        path: "Sources/Apple/HealthKitAdapter")
]

let imports: [Target] = [
    .target(
        name: "AppleHealthExport", dependencies: ["Core", "HealthData", "HealthTypes", "FHIR", "CArchive"],
        path: "Sources/Import/AppleHealthExport")
]

let documents: [Target] = [
    .target(
        name: "HealthReport", dependencies: ["Core", "FHIR", "HealthTypes", "HealthData", "SleepNights"],
        path: "Sources/Documents/HealthReport"),
    .target(
        name: "ConsentDocument", dependencies: ["Core", "InformedConsent", "CHaru", "CZlib"],
        path: "Sources/Documents/ConsentDocument"),
]

let server: [Target] = [
    .target(
        name: "ServerHTTP",
        dependencies: [
            "Core", "CDescriptorReserve", "CZlib", crypto, hummingbird, hummingbirdTLS, logging, metrics, lifecycle,
        ],
        path: "Sources/Server/ServerHTTP"),
    .target(name: "Storage", dependencies: ["Core", "CPQ", crypto, grdb, grdbSQLite], path: "Sources/Server/Storage"),
    .target(name: "Submissions", dependencies: ["Core", "Storage"], path: "Sources/Server/Submissions"),
    .target(name: "AccessPolicy", dependencies: ["Core"], path: "Sources/Server/AccessPolicy"),
    .target(
        name: "Audit", dependencies: ["Core", "Storage", "AccessPolicy", crypto], path: "Sources/Server/Audit"),
    .target(
        name: "Identity", dependencies: ["Core", "Storage", "AccessPolicy", "Audit", "Wire", crypto, cryptoExtras],
        path: "Sources/Server/Identity"),
    .target(
        name: "Enrolments",
        dependencies: ["Core", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity"],
        path: "Sources/Server/Enrolments"),
    .target(
        name: "RecordStorage",
        dependencies: ["Core", "Storage", "Trust", "FHIR", "FHIRSearch", "HealthTypes", "CZstd", crypto],
        path: "Sources/Server/RecordStorage"),
    .target(
        name: "SearchStatements",
        dependencies: ["Core", "Storage", "Trust", "RecordStorage", "FHIR", "FHIRSearch", "FHIRValidation"],
        path: "Sources/Server/SearchStatements"),
    .target(
        name: "ObservationTemplates", dependencies: ["Core", "FHIR", "FHIRSearch", "RecordStorage"],
        path: "Sources/Server/ObservationTemplates"),
    .target(
        name: "FHIRHTTP",
        dependencies: [
            "Core", "ServerHTTP", "Storage", "RecordStorage", "FHIR", "FHIRPatch", "FHIRSearch", "FHIRXML",
            hummingbird,
        ],
        path: "Sources/Server/FHIRHTTP"),
    .target(
        name: "BulkExport",
        dependencies: [
            "Core", "Storage", "Trust", "RecordStorage", "SearchStatements", "FHIRHTTP", "FHIR", "FHIRSearch",
            hummingbird,
        ],
        path: "Sources/Server/BulkExport"),
    .target(
        name: "FHIRServer",
        dependencies: [
            "Core", "ServerHTTP", "Storage", "Trust", "RecordStorage", "SearchStatements", "ObservationTemplates",
            "FHIRHTTP", "BulkExport", "FHIR", "FHIRPath", "FHIRPatch", "FHIRSearch", "FHIRValidation", "FHIRXML",
            "HealthTypes", crypto, hummingbird, logging,
        ],
        path: "Sources/Server/FHIRServer"),
    .target(
        name: "Warehouse",
        dependencies: [
            "Core", "Storage", "RecordStorage", "ObservationTemplates", "FHIR", "UCUM", "HealthTypes", "HealthData",
            "InformedConsent", crypto,
        ],
        path: "Sources/Server/Warehouse"),
    .target(
        name: "Receiver",
        dependencies: [
            "Core", "ServerHTTP", "Wire", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity", "Enrolments",
            "COpenSSL", crypto, asn1, hummingbird,
            logging,
        ],
        path: "Sources/Server/Receiver"),
    .target(
        name: "Authorization",
        dependencies: [
            "Core", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Wire", crypto, cryptoExtras,
            hummingbird, hummingbirdTLS,
        ],
        path: "Sources/Server/Authorization"),
    .target(
        name: "DeviceGateway",
        dependencies: [
            "Core", "FHIR", "JSONQuery", "Wire", "HealthTypes", "HealthData", "ServerHTTP", "Storage", "Trust",
            "FHIRSearch", "RecordStorage", "ObservationTemplates",
            crypto, hummingbird,
        ],
        path: "Sources/Server/DeviceGateway"),
    .target(
        name: "StudyKeys", dependencies: ["Core", "Wire", "Storage", "COpenSSL"], path: "Sources/Server/StudyKeys"),
    .target(
        name: "Admission",
        dependencies: [
            "Core", "Wire", "Storage", "Submissions", "Trust", "RecordStorage", "ObservationTemplates", "Warehouse",
            "HealthData", "InformedConsent",
            "Questionnaires", "Attachments", "FHIR", "FHIRValidation", "FHIRVersions", "COpenSSL", crypto,
            cryptoExtras, logging, lifecycle,
        ],
        path: "Sources/Server/Consumer"),
]

let tools: [Target] = [
    .target(name: "TerminalSurvey", dependencies: ["FHIR", "Questionnaires"], path: "Sources/Tools/TerminalSurvey"),
    .target(
        name: "StudyFiles",
        dependencies: [
            "Core", "ServerHTTP", "Storage", "Trust", "Authorization", "Records", "Warehouse", "Receiver", "Consumer",
            "DeviceGateway", "Wire", "FHIR", "FHIRValidation", "FHIRVersions", "HealthTypes", "HealthData",
            "InformedConsent", "Questionnaires", crypto, lifecycle,
        ],
        path: "Sources/Tools/StudyFiles"),
    .target(
        name: "StudyOperations",
        dependencies: [
            "Core", "Storage", "Submissions", "Trust", "Records", "Warehouse", "Receiver", "Consumer", "DeviceGateway",
            "Wire", "FHIR", "HealthTypes", "HealthData", "InformedConsent", "CArchive", "CQREncode", "CPNG",
            "StudyFiles", crypto,
        ],
        path: "Sources/Tools/StudyOperations"),
    .target(
        name: "TributaryServer",
        dependencies: [
            "Core", "ServerHTTP", "Storage", "Submissions", "Trust", "Authorization", "Records", "Warehouse",
            "Receiver", "Consumer", "DeviceGateway", "Wire", "FHIR", "InformedConsent", "StudyFiles",
            "StudyOperations", hummingbird, logging, lifecycle,
        ],
        path: "Sources/Tools/TributaryServer"),
    .target(
        name: "DeviceCommands",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "FHIRVersions", "Wire", "Questionnaires", "InformedConsent",
            "HealthTypes",
            "HealthData", "SleepNights", "HealthSync", "HealthStores", "HealthReport", "Attachments", "Outbox",
            "AppleHealthExport", "ConsentDocument", "Storage", "Warehouse", "Receiver", "TerminalSurvey",
            "TributaryServer", arguments,
        ],
        path: "Sources/Tools/DeviceCommands"),
    .executableTarget(
        name: "tributary",
        dependencies: [
            "Core", "FHIR", "FHIRPath", "FHIRValidation", "FHIRVersions", "FHIRXML", "JSONQuery", "Wire",
            "Questionnaires", "InformedConsent", "HealthTypes", "HealthData", "HealthStores", "Outbox", "ServerHTTP",
            "Storage", "Submissions", "Trust", "RecordStorage", "BulkExport", "Warehouse", "Receiver", "Consumer",
            "Authorization", "DeviceGateway", "DeviceCommands", "TributaryServer", arguments, logging,
        ],
        path: "Sources/Tools/tributary"),
]

let tests: [Target] = [
    .testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
        name: "StorageTestSupport", dependencies: ["Storage", "Submissions", "Core", crypto, "TestSupport"],
        path: "Tests/StorageTestSupport"),
    .testTarget(name: "CoreTests", dependencies: ["Core", "TestSupport"]),
    .testTarget(name: "FHIRTests", dependencies: ["FHIR", "TestSupport"]),
    .testTarget(
        name: "GuideTests",
        dependencies: [
            "Core", "FHIR", "FHIRPath", "FHIRValidation", "FHIRVersions", "JSONQuery", "UCUM", "Questionnaires",
            "InformedConsent", "HealthTypes", "HealthData", "HealthSync", "HealthStores", "HealthReport", "Outbox",
            "Wire",
            "Attachments", "HealthKitAdapter", "HTTPTransport", "FHIRClient",
        ] + healthKit),
    .testTarget(name: "UCUMTests", dependencies: ["UCUM", "Core", "TestSupport"]),
    .testTarget(name: "FHIRPathTests", dependencies: ["FHIRPath", "FHIR", "UCUM", "FHIRXML", "TestSupport"]),
    .testTarget(name: "FHIRValidationTests", dependencies: ["FHIRValidation", "FHIRPath", "FHIR", "TestSupport"]),
    .testTarget(name: "FHIRXMLTests", dependencies: ["FHIRXML", "FHIR", "TestSupport"]),
    .testTarget(name: "FHIRVersionsTests", dependencies: ["FHIRVersions", "FHIR", "TestSupport"]),
    .testTarget(name: "JSONQueryTests", dependencies: ["JSONQuery", "Core", "TestSupport"]),
    .testTarget(name: "WireTests", dependencies: ["Wire", "Core", crypto, cryptoExtras, asn1, "TestSupport"]),
    .target(
        name: "QuestionnairesTestSupport", dependencies: ["Questionnaires", "FHIR", "TestSupport"],
        path: "Tests/QuestionnairesTestSupport"),
    .testTarget(
        name: "QuestionnairesTests",
        dependencies: ["Questionnaires", "QuestionnairesTestSupport", "FHIR", "TestSupport"]),
    .testTarget(
        name: "TerminalSurveyTests",
        dependencies: ["TerminalSurvey", "Questionnaires", "QuestionnairesTestSupport", "FHIR", "TestSupport"]),
    .testTarget(name: "AttachmentsTests", dependencies: ["Attachments", "FHIR", crypto, "TestSupport"]),
    .testTarget(name: "InformedConsentTests", dependencies: ["InformedConsent", "Attachments", "FHIR", "TestSupport"]),
    .testTarget(name: "HealthTypesTests", dependencies: ["HealthTypes", "FHIR", "UCUM", "TestSupport"]),
    .target(
        name: "HealthDataTestSupport", dependencies: ["HealthData", "SleepNights", "FHIR"],
        path: "Tests/HealthDataTestSupport"),
    .testTarget(
        name: "HealthDataTests",
        dependencies: [
            "HealthData", "SleepNights", "HealthTypes", "HealthDataTestSupport", "TestSupport", "FHIR", "UCUM",
            "FHIRValidation",
        ]),
    .testTarget(
        name: "HealthSyncTests",
        dependencies: [
            "Core", "HealthSync", "HealthData", "HealthTypes", "HealthDataTestSupport", "TestSupport", "FHIR",
        ]),
    .testTarget(
        name: "HealthStoresTests",
        dependencies: [
            "Core", "HealthStores", "HealthSync", "HealthData", "HealthTypes", "Outbox", "Wire", "FHIR",
            "HealthDataTestSupport", "TestSupport",
        ]),
    .testTarget(
        name: "HealthKitAdapterTests",
        dependencies: [
            "HealthKitAdapter", "HealthSync", "HealthStores", "HealthData", "HealthTypes", "Outbox", "Wire", "Core",
            "FHIR", "TestSupport",
        ] + healthKit),
    .testTarget(
        name: "HealthReportTests",
        dependencies: ["HealthReport", "HealthData", "HealthTypes", "HealthDataTestSupport", "TestSupport", "FHIR"]),
    .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "Core", "TestSupport"]),
    .testTarget(name: "FHIRClientTests", dependencies: ["FHIRClient", "HTTPTransport", "FHIR", "Core", "TestSupport"]),
    .testTarget(
        name: "OutboxTests", dependencies: ["Outbox", "Wire", "Core", "FHIR", "InformedConsent", crypto, "TestSupport"]),
    .testTarget(
        name: "AppleHealthExportTests",
        dependencies: ["AppleHealthExport", "HealthData", "HealthTypes", "FHIR", "CXML2", "TestSupport"]),
    .testTarget(
        name: "ConsentDocumentTests", dependencies: ["ConsentDocument", "InformedConsent", "FHIR", "TestSupport"]),
    .testTarget(
        name: "ServerHTTPTests", dependencies: ["ServerHTTP", "CDescriptorReserve", hummingbirdTesting, "TestSupport"]),
    .target(
        name: "SubmissionsTestSupport", dependencies: ["Submissions", "Storage", "StorageTestSupport", "TestSupport"],
        path: "Tests/SubmissionsTestSupport"),
    .testTarget(
        name: "StorageTests",
        dependencies: ["Storage", "Submissions", "TestSupport", "StorageTestSupport", "SubmissionsTestSupport"]),
    .testTarget(
        name: "SubmissionsTests",
        dependencies: ["Submissions", "Storage", "TestSupport", "StorageTestSupport", "SubmissionsTestSupport"]),
    .target(
        name: "AccessTestSupport",
        dependencies: [
            "AccessPolicy", "Audit", "Identity", "Storage", "StorageTestSupport",
        ],
        path: "Tests/AccessTestSupport"),
    .testTarget(name: "AccessPolicyTests", dependencies: ["AccessPolicy", "FHIR", "TestSupport"]),
    .testTarget(
        name: "AuditTests",
        dependencies: [
            "Audit", "AccessPolicy", "Identity", "Storage", "Submissions", "AccessTestSupport", "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(
        name: "IdentityTests",
        dependencies: [
            "Identity", "Audit", "AccessPolicy", "Storage", "Wire", "Core", crypto, "AccessTestSupport", "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(
        name: "EnrolmentsTests",
        dependencies: [
            "Enrolments", "Identity", "Audit", "AccessPolicy", "Storage", "Submissions", "AccessTestSupport",
            "TestSupport", "StorageTestSupport",
        ]),
    .testTarget(
        name: "DeviceGatewayTests",
        dependencies: [
            "DeviceGateway", "RecordStorage", "Storage", "Trust", "HealthData", "HealthTypes", "JSONQuery", "Wire",
            "Core",
            "FHIR", "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(
        name: "AuthorizationTests",
        dependencies: [
            "Authorization", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Wire", "Core", crypto,
            cryptoExtras,
            hummingbirdTesting, "TestSupport", "StorageTestSupport",
        ]),
    .testTarget(name: "FHIRPatchTests", dependencies: ["FHIRPatch", "FHIR", "Core", "TestSupport"]),
    .testTarget(
        name: "FHIRServerTests",
        dependencies: [
            "FHIRPatch", "FHIRSearch", "RecordStorage", "SearchStatements", "ObservationTemplates", "FHIRHTTP",
            "BulkExport", "FHIRServer", "ServerHTTP", "Storage", "Submissions", "Trust", "FHIR", "HealthTypes",
            "HealthData", hummingbirdTesting, "TestSupport", "StorageTestSupport",
        ], exclude: ["DictionarySamples"]),
    .testTarget(
        name: "WarehouseTests",
        dependencies: [
            "Warehouse", "RecordStorage", "Storage", "FHIR", "HealthData", "Questionnaires", "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(
        name: "ReceiverTests",
        dependencies: [
            "Receiver", "ServerHTTP", "Wire", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity",
            "Enrolments", "COpenSSL", crypto, hummingbirdTesting,
            "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(name: "StudyKeysTests", dependencies: ["StudyKeys", "Wire", "Core", "TestSupport"]),
    .testTarget(
        name: "AdmissionTests",
        dependencies: [
            "Admission", "Records", "Submissions", "Storage", "InformedConsent", "FHIR", "Wire", "TestSupport",
        ]),
    .testTarget(
        name: "ConsumerTests",
        dependencies: [
            "Consumer", "Wire", "Storage", "Submissions", "Trust", "RecordStorage", "FHIRHTTP", "FHIRServer",
            "Warehouse", "HealthData",
            "InformedConsent", "FHIR",
            crypto, cryptoExtras, logging, "TestSupport", "StorageTestSupport",
        ]),
    .testTarget(
        name: "StudyFilesTests",
        dependencies: [
            "StudyFiles", "StudyOperations", "Consumer", "FHIR", "FHIRValidation", "FHIRVersions", "HealthData",
            "InformedConsent", "Receiver", "Records", "Wire", "TestSupport",
        ]),
    .testTarget(
        name: "StudyOperationsTests",
        dependencies: [
            "StudyOperations", "StudyFiles", "Consumer", "Core", "FHIR", "HealthTypes", "Records", "ServerHTTP",
            "Storage", "Submissions", "Trust", "Warehouse", "Wire", crypto, "TestSupport",
        ]),
    .testTarget(
        name: "TributaryTests",
        dependencies: [
            "TributaryServer", "StudyFiles", "StudyOperations", "Core", "FHIR", "ServerHTTP", "Storage", "Wire",
            hummingbird, logging, "TestSupport",
        ]),
]

let package = Package(
    name: "Tributary",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [
        .library(name: "TributaryFHIR", targets: ["FHIR"]),
        .library(name: "TributaryUCUM", targets: ["UCUM"]),
        .library(name: "TributaryFHIRPath", targets: ["FHIRPath"]),
        .library(name: "TributaryFHIRValidation", targets: ["FHIRValidation"]),
        .library(name: "TributaryFHIRVersions", targets: ["FHIRVersions"]),
        .library(name: "TributaryFHIRSearch", targets: ["FHIRSearch"]),
        .library(name: "TributaryFHIRPatch", targets: ["FHIRPatch"]),
        .library(name: "TributaryJSONQuery", targets: ["JSONQuery"]),
        .library(name: "TributaryWire", targets: ["Wire"]),
        .library(name: "TributaryQuestionnaires", targets: ["Questionnaires"]),
        .library(name: "TributaryInformedConsent", targets: ["InformedConsent"]),
        .library(name: "TributaryHealthTypes", targets: ["HealthTypes"]),
        .library(name: "TributaryHealthData", targets: ["HealthData"]),
        .library(name: "TributarySleepNights", targets: ["SleepNights"]),
        .library(name: "TributaryHealthSync", targets: ["HealthSync"]),
        .library(name: "TributaryHealthStores", targets: ["HealthStores"]),
        .library(name: "TributaryHealthKitAdapter", targets: ["HealthKitAdapter"]),
        .library(name: "TributaryHealthReport", targets: ["HealthReport"]),
        .library(name: "TributaryAttachments", targets: ["Attachments"]),
        .library(name: "TributaryHTTPTransport", targets: ["HTTPTransport"]),
        .library(name: "TributaryFHIRClient", targets: ["FHIRClient"]),
        .library(name: "TributaryOutbox", targets: ["Outbox"]),
        // No app's: what the benchmarks measure of the stores. It needs the trait.
        .library(name: "ServerStores", targets: ["Storage", "Submissions", "RecordStorage"]),
        .executable(name: "tributary", targets: ["tributary"]),
    ],
    traits: [
        .default(enabledTraits: ["Server"]),
        .trait(name: "Server", description: "The server, its stores and the command line"),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: system + language + wire + device + standIns + apple + imports + documents + server + tools + tests,
    swiftLanguageModes: [.v6]
)
