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
    .systemLibrary(
        name: "CCurl", path: "Sources/System/CCurl", pkgConfig: "libcurl",
        providers: [.apt(["libcurl4-openssl-dev"])]),
]

let language: [Target] = [
    .target(name: "Core", path: "Sources/Language/Core"),
    .target(name: "FHIR", dependencies: ["Core"], path: "Sources/Language/FHIR"),
    .target(name: "UCUM", dependencies: ["Core"], path: "Sources/Language/UCUM"),
    .target(name: "FHIRPath", dependencies: ["Core", "FHIR", "UCUM"], path: "Sources/Language/FHIRPath"),
    .target(
        name: "FHIRValidation", dependencies: ["FHIR", "UCUM", "FHIRPath"], path: "Sources/Language/FHIRValidation"),
    .target(name: "FHIRVersions", dependencies: ["FHIR"], path: "Sources/Language/FHIRVersions"),
    .target(name: "JSONQuery", dependencies: ["Core"], path: "Sources/Language/JSONQuery"),
    .target(name: "FHIRXML", dependencies: ["CXML2", "Core", "FHIR"], path: "Sources/Language/FHIRXML"),
    .target(name: "FHIRPatch", dependencies: ["Core", "FHIR", "FHIRPath"], path: "Sources/Language/FHIRPatch"),
    .target(
        name: "FHIRSearch", dependencies: ["Core", "FHIR", "UCUM", "FHIRPath", "FHIRValidation", crypto],
        path: "Sources/Language/FHIRSearch"),
]

let wire: [Target] = [
    .target(name: "Wire", dependencies: ["Core", crypto, cryptoExtras, asn1], path: "Sources/Wire")
]

let device: [Target] = [
    .target(name: "Attachments", dependencies: ["Core", crypto], path: "Sources/Device/Attachments"),
    .target(name: "FormLanguages", dependencies: ["FHIR"], path: "Sources/Device/FormLanguages"),
    .target(
        name: "Questionnaires", dependencies: ["Core", "FHIR", "UCUM", "FHIRPath", "FormLanguages"],
        path: "Sources/Device/Questionnaires"),
    .target(
        name: "FormRendering", dependencies: ["FHIR", "UCUM", "FHIRPath", "Questionnaires"],
        path: "Sources/Device/FormRendering"),
    .target(
        name: "FormOperations", dependencies: ["Core", "FHIR", "UCUM", "FHIRPath", "FHIRSearch", "Questionnaires"],
        path: "Sources/Device/FormOperations"),
    .target(name: "ResearchResults", dependencies: ["Core"], path: "Sources/Device/ResearchResults"),
    .target(
        name: "ResearchKitForms", dependencies: ["FHIR", "Questionnaires", "FormRendering", "ResearchResults"],
        path: "Sources/Device/ResearchKitForms"),
    .target(
        name: "InformedConsent", dependencies: ["FHIR", "Attachments", crypto], path: "Sources/Device/InformedConsent"),
    .target(name: "HealthTypes", dependencies: ["Core", "FHIR", "UCUM"], path: "Sources/Device/HealthTypes"),
    .target(
        name: "HealthData", dependencies: ["Core", "FHIR", "HealthTypes", crypto], path: "Sources/Device/HealthData"),
    .target(
        name: "SleepNights", dependencies: ["FHIR", "HealthData"],
        path: "Sources/Device/SleepNights"),
    .target(
        name: "HealthSync", dependencies: ["Core", "FHIR", "HealthTypes", "HealthData", "DeviceSystem"],
        path: "Sources/Device/HealthSync"),
    .target(name: "HTTPTransport", dependencies: ["Core"], path: "Sources/Device/HTTPTransport"),
    .target(name: "DeviceSystem", dependencies: ["Core"], path: "Sources/Device/DeviceSystem"),
    .target(
        name: "AccountClient", dependencies: ["Core", "ResearchResults", "HTTPTransport", "DeviceSystem", crypto],
        path: "Sources/Device/AccountClient"),
    .target(name: "CarePlans", dependencies: ["Core", "FHIR"], path: "Sources/Device/CarePlans"),
    .target(
        name: "CareStores", dependencies: ["Core", "CarePlans", "HTTPTransport", "DeviceSystem", "AccountClient"],
        path: "Sources/Device/CareStores"),
    .target(
        name: "Wallet", dependencies: ["Core", "Wire", "HTTPTransport", "DeviceSystem"], path: "Sources/Device/Wallet"),
    .target(name: "FHIRClient", dependencies: ["Core", "FHIR", "HTTPTransport"], path: "Sources/Device/FHIRClient"),
    .target(
        name: "Outbox", dependencies: ["Core", "Wire", "Attachments", "HTTPTransport", "DeviceSystem", crypto],
        path: "Sources/Device/Outbox"),
    .target(
        name: "HealthStores",
        dependencies: [
            "Core", "FHIR", "Wire", "Attachments", "HealthData", "HealthSync", "FHIRClient", "DeviceSystem", "Outbox",
            crypto,
        ],
        path: "Sources/Device/HealthStores"),
]

/// Apple's frameworks where there are none: stand-ins for tests. On Apple's systems they would shadow the real
/// ones, and the adapters import those.
#if os(Linux)
    let standIns: [Target] = [
        .target(name: "CoreLocation", path: "Tests/AppleShims/CoreLocation"),
        .target(name: "CoreMotion", path: "Tests/AppleShims/CoreMotion"),
        .target(
            name: "HealthKit", dependencies: ["HealthTypes", "CoreLocation"], path: "Tests/AppleShims/HealthKit"),
        .target(name: "ResearchKit", dependencies: ["CoreLocation"], path: "Tests/AppleShims/ResearchKit"),
        .target(
            name: "ResearchKit_Private", dependencies: ["ResearchKit"], path: "Tests/AppleShims/ResearchKitPrivate"),
        .target(name: "CareKitStore", dependencies: ["HealthKit"], path: "Tests/AppleShims/CareKitStore"),
    ]
    let coreLocation: [Target.Dependency] = ["CoreLocation"]
    let coreMotion: [Target.Dependency] = ["CoreMotion"]
    let healthKit: [Target.Dependency] = ["HealthKit"]
    let researchKit: [Target.Dependency] = ["ResearchKit", "ResearchKit_Private"]
    let careKit: [Target.Dependency] = ["CareKitStore"]
#else
    let standIns: [Target] = []
    let coreLocation: [Target.Dependency] = []
    let coreMotion: [Target.Dependency] = []
    let healthKit: [Target.Dependency] = []
    let researchKit: [Target.Dependency] = []
    let careKit: [Target.Dependency] = []
#endif

let apple: [Target] = [
    .target(
        name: "HealthKitAdapter",
        dependencies: ["FHIR", "HealthData", "HealthSync", "Outbox", "HealthStores"] + healthKit + coreLocation,
        path: "Sources/Apple/HealthKitAdapter"),
    .target(
        name: "ResearchKitAdapter",
        dependencies: ["FHIR", "Questionnaires", "ResearchResults", "ResearchKitForms", "InformedConsent"]
            + researchKit + coreLocation,
        path: "Sources/Apple/ResearchKitAdapter"),
    .target(
        name: "CareKitAdapter", dependencies: ["Core", "CarePlans", "CareStores", "AccountClient"] + careKit,
        path: "Sources/Apple/CareKitAdapter"),
    .target(
        name: "LocationAdapter", dependencies: ["Core", "FHIR", "InformedConsent"] + coreLocation,
        path: "Sources/Apple/LocationAdapter"),
    .target(
        name: "MotionAdapter", dependencies: ["Core", "FHIR", crypto] + coreMotion,
        path: "Sources/Apple/MotionAdapter"),
]

let imports: [Target] = [
    .target(
        name: "AppleHealthExport", dependencies: ["CArchive", "Core", "FHIR", "HealthData"],
        path: "Sources/Import/AppleHealthExport")
]

let documents: [Target] = [
    .target(
        name: "HealthReport", dependencies: ["Core", "FHIR", "HealthData", "SleepNights", crypto],
        path: "Sources/Documents/HealthReport"),
    .target(
        name: "ConsentDocument", dependencies: ["CHaru", "CZlib", "Core", "InformedConsent"],
        path: "Sources/Documents/ConsentDocument"),
]

let server: [Target] = [
    .target(
        name: "ServerHTTP",
        dependencies: [
            "CDescriptorReserve", "CZlib", "Core", crypto, hummingbird, hummingbirdTLS, logging, metrics, lifecycle,
        ],
        path: "Sources/Server/ServerHTTP"),
    .target(name: "Storage", dependencies: ["CPQ", "Core", crypto, grdb, grdbSQLite], path: "Sources/Server/Storage"),
    .target(name: "Submissions", dependencies: ["Storage"], path: "Sources/Server/Submissions"),
    .target(name: "AccessPolicy", dependencies: ["Core"], path: "Sources/Server/AccessPolicy"),
    .target(
        name: "Audit", dependencies: ["Core", "Storage", "AccessPolicy", crypto], path: "Sources/Server/Audit"),
    .target(
        name: "Identity", dependencies: ["Core", "Wire", "Storage", "AccessPolicy", "Audit", crypto, cryptoExtras],
        path: "Sources/Server/Identity"),
    .target(
        name: "Enrolments",
        dependencies: ["Storage", "Submissions", "AccessPolicy", "Audit", "Identity"],
        path: "Sources/Server/Enrolments"),
    .target(
        name: "RecordStorage",
        dependencies: [
            "CZstd", "Core", "FHIR", "UCUM", "FHIRSearch", "HealthTypes", "Storage", "AccessPolicy", crypto,
        ],
        path: "Sources/Server/RecordStorage"),
    .target(
        name: "SearchStatements",
        dependencies: ["Core", "FHIR", "FHIRValidation", "FHIRSearch", "Storage", "AccessPolicy", "RecordStorage"],
        path: "Sources/Server/SearchStatements"),
    .target(
        name: "ObservationTemplates", dependencies: ["Core", "FHIR", "FHIRSearch", "RecordStorage"],
        path: "Sources/Server/ObservationTemplates"),
    .target(
        name: "FHIRHTTP",
        dependencies: [
            "Core", "FHIR", "FHIRXML", "FHIRPatch", "FHIRSearch", "ServerHTTP", "Storage", "AccessPolicy", "Audit",
            "RecordStorage", hummingbird,
        ],
        path: "Sources/Server/FHIRHTTP"),
    .target(
        name: "BulkExport",
        dependencies: [
            "Core", "FHIR", "FHIRSearch", "Storage", "AccessPolicy", "Identity", "RecordStorage", "SearchStatements",
            "FHIRHTTP", hummingbird,
        ],
        path: "Sources/Server/BulkExport"),
    .target(
        name: "FHIRServer",
        dependencies: [
            "Core", "FHIR", "FHIRPatch", "FHIRSearch", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity",
            "RecordStorage", "SearchStatements", "ObservationTemplates", "FHIRHTTP", "BulkExport", crypto, hummingbird,
            logging,
        ],
        path: "Sources/Server/FHIRServer"),
    .target(
        name: "Warehouse",
        dependencies: [
            "Core", "FHIR", "UCUM", "InformedConsent", "HealthTypes", "HealthData", "SleepNights", "Storage",
            "RecordStorage", "ObservationTemplates", crypto,
        ],
        path: "Sources/Server/Warehouse"),
    .target(
        name: "Accounts",
        dependencies: [
            "CCurl", "Core", "DeviceSystem", "ResearchResults", "ServerHTTP", "Storage", "AccessPolicy", "Audit",
            "Identity", crypto, hummingbird, logging, metrics,
        ],
        path: "Sources/Server/Accounts"),
    .target(
        name: "CareSync",
        dependencies: [
            "Core", "CarePlans", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Accounts", crypto,
            hummingbird,
        ],
        path: "Sources/Server/CareSync"),
    .target(
        name: "Receiver",
        dependencies: [
            "COpenSSL", "Core", "Wire", "ServerHTTP", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity",
            "Enrolments", crypto, asn1, hummingbird, logging,
        ],
        path: "Sources/Server/Receiver"),
    .target(
        name: "Authorization",
        dependencies: [
            "Core", "Wire", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", crypto, cryptoExtras,
            hummingbird, hummingbirdTLS,
        ],
        path: "Sources/Server/Authorization"),
    .target(
        name: "Permissions",
        dependencies: [
            "Core", "FHIR", "Wire", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Enrolments",
            "RecordStorage", "FHIRServer", "Authorization", crypto, hummingbird,
        ],
        path: "Sources/Server/Permissions"),
    .target(
        name: "DeviceGateway",
        dependencies: [
            "Core", "FHIR", "JSONQuery", "FHIRSearch", "Wire", "HealthData", "ServerHTTP", "Storage", "AccessPolicy",
            "Audit", "RecordStorage", "ObservationTemplates", crypto, hummingbird,
        ],
        path: "Sources/Server/DeviceGateway"),
    .target(
        name: "StudyKeys", dependencies: ["COpenSSL", "Core", "Wire", "Storage"], path: "Sources/Server/StudyKeys"),
    .target(
        name: "Admission",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "FHIRVersions", "Wire", "Attachments", "Questionnaires",
            "InformedConsent", "HealthData", "Storage", "Submissions", "Audit", "RecordStorage", "ObservationTemplates",
            "Warehouse", crypto,
        ], path: "Sources/Server/Admission"),
    .target(
        name: "Consumer",
        dependencies: [
            "Core", "FHIR", "Wire", "InformedConsent", "Storage", "Submissions", "AccessPolicy", "Audit", "Enrolments",
            "RecordStorage", "Warehouse", "StudyKeys", "Admission", crypto, cryptoExtras, logging, lifecycle,
        ],
        path: "Sources/Server/Consumer"),
]

let tools: [Target] = [
    .target(
        name: "FormAuthoring", dependencies: ["FHIR", "Questionnaires", "FormRendering", "HealthReport"],
        path: "Sources/Tools/FormAuthoring"),
    .target(
        name: "TerminalSurvey", dependencies: ["FHIR", "Questionnaires", "FormRendering"],
        path: "Sources/Tools/TerminalSurvey"),
    .target(
        name: "StudyFiles",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "FHIRVersions", "Wire", "Questionnaires", "FormAuthoring",
            "InformedConsent", "HealthTypes", "HealthData", "ServerHTTP", "Storage", "Audit", "Identity",
            "RecordStorage", "BulkExport", "Warehouse", "Accounts", "Receiver", "Authorization", "DeviceGateway",
            "StudyKeys", "Admission", "Consumer", crypto, lifecycle,
        ],
        path: "Sources/Tools/StudyFiles"),
    .target(
        name: "StudyOperations",
        dependencies: [
            "CArchive", "CQREncode", "CPNG", "Core", "FHIR", "Wire", "InformedConsent", "HealthTypes", "HealthData",
            "Storage", "Submissions", "AccessPolicy", "Audit", "Identity", "Enrolments", "RecordStorage",
            "Warehouse", "Accounts", "Receiver", "DeviceGateway", "StudyKeys", "Admission", "Consumer", "StudyFiles",
            "Permissions", crypto,
        ],
        path: "Sources/Tools/StudyOperations"),
    .target(
        name: "TributaryServer",
        dependencies: [
            "Core", "FHIR", "Wire", "InformedConsent", "ServerHTTP", "Storage", "Submissions", "AccessPolicy",
            "Audit", "Identity", "Enrolments", "RecordStorage", "BulkExport", "FHIRServer", "Warehouse", "Accounts",
            "CareSync", "Receiver", "Authorization", "DeviceGateway", "StudyKeys", "Consumer", "StudyFiles",
            "StudyOperations", "Permissions", hummingbird, logging, lifecycle,
        ],
        path: "Sources/Tools/TributaryServer"),
    .target(
        name: "DeviceCommands",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "FHIRVersions", "Wire", "Attachments", "Questionnaires",
            "FormOperations", "InformedConsent", "HealthData", "SleepNights", "HealthSync", "DeviceSystem", "Outbox",
            "AccountClient", "CarePlans", "CareStores", "Wallet", "ResearchResults", "HealthStores",
            "ResearchKitForms", "AppleHealthExport", "HealthReport", "ConsentDocument", "Storage", "Warehouse",
            "Receiver", "TerminalSurvey", "StudyFiles", "StudyOperations", "FormAuthoring", arguments,
        ],
        path: "Sources/Tools/DeviceCommands"),
    .executableTarget(
        name: "tributary",
        dependencies: [
            "Core", "FHIR", "FHIRPath", "FHIRValidation", "FHIRVersions", "JSONQuery", "FHIRXML", "Wire",
            "InformedConsent", "HealthData", "Outbox", "HealthReport", "ServerHTTP", "Storage", "Submissions",
            "AccessPolicy", "Audit", "Identity", "Enrolments", "RecordStorage", "BulkExport", "Warehouse",
            "Accounts", "Receiver", "DeviceGateway", "StudyKeys", "Admission", "Consumer", "StudyFiles",
            "StudyOperations", "Permissions", "TributaryServer", "DeviceCommands", arguments, logging,
        ],
        path: "Sources/Tools/tributary"),
]

/// Programs of the app developer's guide that cannot be compiled here: on Linux there are no uploads in the background,
/// and for macOS there is no ResearchKit.
#if os(Linux)
    let programsOfOtherSystems = ["Programs/SendInBackground.swift"]
#else
    let programsOfOtherSystems = ["Programs/ShowResearchKitForm.swift"]
#endif

let tests: [Target] = [
    .testTarget(name: "ArchitectureTests", path: "Tests/ArchitectureTests"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
        name: "StorageTestSupport", dependencies: ["Core", "Storage", "Submissions", "TestSupport", crypto],
        path: "Tests/StorageTestSupport"),
    .testTarget(name: "CoreTests", dependencies: ["Core", "TestSupport"]),
    .testTarget(name: "FHIRTests", dependencies: ["FHIR", "TestSupport"]),
    // The example app without its screens, which only Apple's systems have.
    .target(
        name: "StudyAppModel",
        dependencies: ["FHIR", "InformedConsent", "Questionnaires", "Outbox", "HealthSync", "HealthKitAdapter"]
            + healthKit,
        path: "Examples/App/Model"),
    .testTarget(
        name: "GuideTests",
        dependencies: [
            "FHIR", "UCUM", "FHIRPath", "FHIRValidation", "FHIRVersions", "JSONQuery", "FHIRPatch", "FHIRSearch",
            "Wire", "Attachments", "Questionnaires", "FormOperations", "InformedConsent", "HealthTypes", "HealthData",
            "SleepNights",
            "HealthSync", "HTTPTransport", "DeviceSystem", "FHIRClient", "Outbox", "HealthStores", "HealthKitAdapter",
            "HealthReport",
            "FormRendering", "ResearchResults", "AccountClient", "ResearchKitForms", "ResearchKitAdapter",
            "CarePlans", "CareStores", "CareKitAdapter", "Wallet", "LocationAdapter", "MotionAdapter",
            "StudyAppModel",
        ] + healthKit + researchKit + careKit + coreMotion,
        exclude: programsOfOtherSystems),
    .testTarget(name: "UCUMTests", dependencies: ["Core", "UCUM", "TestSupport"]),
    .testTarget(name: "FHIRPathTests", dependencies: ["FHIR", "FHIRPath", "FHIRXML", "TestSupport"]),
    .testTarget(name: "FHIRValidationTests", dependencies: ["FHIR", "FHIRPath", "FHIRValidation", "TestSupport"]),
    .testTarget(name: "FHIRXMLTests", dependencies: ["FHIR", "FHIRXML", "TestSupport"]),
    .testTarget(name: "FHIRVersionsTests", dependencies: ["FHIR", "FHIRVersions", "TestSupport"]),
    .testTarget(name: "JSONQueryTests", dependencies: ["JSONQuery", "TestSupport"]),
    .testTarget(name: "WireTests", dependencies: ["Core", "Wire", "TestSupport", crypto, cryptoExtras, asn1]),
    .target(
        name: "QuestionnairesTestSupport", dependencies: ["FHIR", "Questionnaires", "TestSupport"],
        path: "Tests/QuestionnairesTestSupport"),
    .testTarget(
        name: "QuestionnairesTests",
        dependencies: ["FHIR", "FHIRPath", "Questionnaires", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "FormLanguagesTests",
        dependencies: ["FHIR", "FormLanguages", "Questionnaires", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "FormRenderingTests",
        dependencies: ["FHIR", "Questionnaires", "FormRendering", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "FormOperationsTests",
        dependencies: ["FHIR", "FHIRPath", "FHIRValidation", "Questionnaires", "FormOperations", "TestSupport"]),
    .testTarget(
        name: "FormAuthoringTests",
        dependencies: ["FHIR", "Questionnaires", "FormAuthoring", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "TerminalSurveyTests",
        dependencies: ["FHIR", "Questionnaires", "TerminalSurvey", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "ResearchKitFormsTests",
        dependencies: ["FHIR", "Questionnaires", "ResearchKitForms", "TestSupport", "QuestionnairesTestSupport"]),
    .testTarget(
        name: "ResearchKitAdapterTests",
        dependencies: [
            "FHIR", "Questionnaires", "ResearchResults", "ResearchKitForms", "InformedConsent", "ResearchKitAdapter",
            "TestSupport", "QuestionnairesTestSupport",
        ] + researchKit),
    .testTarget(name: "AttachmentsTests", dependencies: ["FHIR", "Attachments", "TestSupport", crypto]),
    .testTarget(name: "InformedConsentTests", dependencies: ["FHIR", "Attachments", "InformedConsent", "TestSupport"]),
    .testTarget(name: "HealthTypesTests", dependencies: ["FHIR", "UCUM", "HealthTypes", "TestSupport"]),
    .target(
        name: "HealthDataTestSupport", dependencies: ["FHIR", "HealthData", "SleepNights"],
        path: "Tests/HealthDataTestSupport"),
    .testTarget(
        name: "HealthDataTests",
        dependencies: [
            "FHIR", "UCUM", "FHIRValidation", "HealthTypes", "HealthData", "SleepNights", "TestSupport",
            "HealthDataTestSupport",
        ]),
    .testTarget(
        name: "HealthSyncTests",
        dependencies: ["Core", "HealthData", "HealthSync", "DeviceSystem", "TestSupport", "HealthDataTestSupport"]),
    .testTarget(
        name: "HealthStoresTests",
        dependencies: ["Core", "Wire", "HealthData", "HealthSync", "Outbox", "HealthStores", "TestSupport"]),
    .testTarget(
        name: "HealthKitAdapterTests",
        dependencies: [
            "Core", "FHIR", "Wire", "HealthData", "HealthSync", "DeviceSystem", "Outbox", "HealthStores",
            "HealthKitAdapter", "TestSupport",
        ] + healthKit),
    .testTarget(
        name: "HealthReportTests",
        dependencies: ["FHIR", "HealthData", "SleepNights", "HealthReport", "TestSupport", "HealthDataTestSupport"]),
    .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport"]),
    .testTarget(name: "ResearchResultsTests", dependencies: ["Core", "ResearchResults", "TestSupport"]),
    .testTarget(name: "DeviceSystemTests", dependencies: ["DeviceSystem", "TestSupport"]),
    .testTarget(
        name: "AccountClientTests",
        dependencies: [
            "Core", "ResearchResults", "HTTPTransport", "DeviceSystem", "AccountClient", "TestSupport", crypto,
        ]),
    .testTarget(name: "CarePlansTests", dependencies: ["Core", "FHIR", "FHIRValidation", "CarePlans", "TestSupport"]),
    .testTarget(
        name: "CareStoresTests",
        dependencies: [
            "Core", "CarePlans", "HTTPTransport", "DeviceSystem", "AccountClient", "CareStores", "TestSupport",
        ]),
    .testTarget(
        name: "WalletTests",
        dependencies: ["Core", "Wire", "HTTPTransport", "DeviceSystem", "Wallet", "TestSupport"]),
    .target(
        name: "CareTestSupport",
        dependencies: ["Core", "CarePlans", "CareStores", "DeviceSystem", "CareKitAdapter", "TestSupport"] + careKit,
        path: "Tests/CareTestSupport"),
    .testTarget(
        name: "CareKitAdapterTests",
        dependencies: [
            "Core", "CarePlans", "CareStores", "CareKitAdapter", "HTTPTransport", "DeviceSystem", "AccountClient",
            "TestSupport", "CareTestSupport",
        ] + careKit),
    .testTarget(
        name: "LocationAdapterTests", dependencies: ["FHIR", "InformedConsent", "LocationAdapter"] + coreLocation),
    .testTarget(
        name: "MotionAdapterTests",
        dependencies: ["Core", "FHIR", "FHIRValidation", "MotionAdapter", "TestSupport"] + coreMotion),
    .testTarget(name: "FHIRClientTests", dependencies: ["Core", "FHIR", "FHIRClient"]),
    .testTarget(
        name: "OutboxTests",
        dependencies: ["Core", "FHIR", "Wire", "InformedConsent", "DeviceSystem", "Outbox", "TestSupport", crypto]),
    .testTarget(
        name: "AppleHealthExportTests",
        dependencies: ["CXML2", "FHIR", "HealthData", "AppleHealthExport", "TestSupport"]),
    .testTarget(
        name: "ConsentDocumentTests", dependencies: ["FHIR", "InformedConsent", "ConsentDocument", "TestSupport"]),
    .testTarget(
        name: "ServerHTTPTests",
        dependencies: [
            "CDescriptorReserve", "ServerHTTP", "TestSupport", hummingbirdTesting, logging, lifecycle, metrics,
            hummingbird,
        ]),
    .target(
        name: "SubmissionsTestSupport", dependencies: ["Storage", "Submissions", "TestSupport", "StorageTestSupport"],
        path: "Tests/SubmissionsTestSupport"),
    .testTarget(
        name: "StorageTests",
        dependencies: ["Storage", "Submissions", "TestSupport", "StorageTestSupport", "SubmissionsTestSupport", crypto]),
    .testTarget(
        name: "SubmissionsTests",
        dependencies: ["Storage", "Submissions", "TestSupport", "StorageTestSupport", "SubmissionsTestSupport"]),
    .target(
        name: "AccessTestSupport",
        dependencies: ["Storage", "AccessPolicy", "Audit", "Identity", "StorageTestSupport"],
        path: "Tests/AccessTestSupport"),
    .testTarget(name: "AccessPolicyTests", dependencies: ["FHIR", "AccessPolicy", "TestSupport"]),
    .testTarget(
        name: "AuditTests",
        dependencies: [
            "Core", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity", "StorageTestSupport",
            "AccessTestSupport", "TestSupport",
        ]),
    .testTarget(
        name: "IdentityTests",
        dependencies: [
            "Core", "Storage", "AccessPolicy", "Audit", "Identity", "TestSupport", "StorageTestSupport",
            "AccessTestSupport", crypto,
        ]),
    .testTarget(
        name: "PermissionsTests",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "Wire", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity",
            "Enrolments", "RecordStorage", "FHIRServer", "Authorization", "Permissions", "TestSupport",
            "StorageTestSupport", "AccessTestSupport", crypto, hummingbird, hummingbirdTesting, logging,
        ]),
    .testTarget(
        name: "AccountsTests",
        dependencies: [
            "CCurl", "Core", "ResearchResults", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity",
            "Accounts", "TestSupport", "StorageTestSupport", "AccessTestSupport", crypto, hummingbird,
            hummingbirdTesting, logging,
        ]),
    .testTarget(
        name: "CareSyncTests",
        dependencies: [
            "Core", "CarePlans", "CareStores", "CareKitAdapter", "HTTPTransport", "DeviceSystem", "AccountClient",
            "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Accounts", "CareSync", "TestSupport",
            "StorageTestSupport", "AccessTestSupport", "CareTestSupport", crypto, hummingbird, hummingbirdTesting,
            logging,
        ] + careKit),
    .testTarget(
        name: "EnrolmentsTests",
        dependencies: [
            "Storage", "Submissions", "AccessPolicy", "Audit", "Identity", "Enrolments", "StorageTestSupport",
            "AccessTestSupport", "TestSupport",
        ]),
    .testTarget(
        name: "DeviceGatewayTests",
        dependencies: [
            "Core", "FHIR", "JSONQuery", "Storage", "AccessPolicy", "Audit", "RecordStorage", "DeviceGateway",
            "TestSupport", "StorageTestSupport",
        ]),
    .testTarget(
        name: "AuthorizationTests",
        dependencies: [
            "Core", "Wire", "ServerHTTP", "Storage", "AccessPolicy", "Audit", "Identity", "Authorization",
            "TestSupport", "StorageTestSupport", crypto, cryptoExtras, hummingbirdTesting, logging, hummingbird,
        ]),
    .target(
        name: "SearchTestSupport", dependencies: ["FHIR", "FHIRSearch", "TestSupport"], path: "Tests/SearchTestSupport"),
    .testTarget(
        name: "FHIRSearchTests",
        dependencies: [
            "Core", "FHIR", "FHIRPath", "FHIRValidation", "FHIRSearch", "RecordStorage", "TestSupport",
            "SearchTestSupport",
        ]),
    .testTarget(
        name: "RecordStorageTests",
        dependencies: [
            "Core", "FHIR", "FHIRSearch", "AccessPolicy", "RecordStorage", "TestSupport", "SearchTestSupport",
        ]),
    .testTarget(
        name: "SearchStatementsTests",
        dependencies: [
            "Core", "FHIR", "FHIRSearch", "Storage", "AccessPolicy", "RecordStorage", "SearchStatements",
            "ObservationTemplates", "FHIRHTTP", "TestSupport", "StorageTestSupport", "SearchTestSupport",
        ]),
    .testTarget(name: "ObservationTemplatesTests", dependencies: ["FHIR", "RecordStorage", "ObservationTemplates"]),
    .testTarget(name: "FHIRHTTPTests", dependencies: ["FHIR", "FHIRSearch", "RecordStorage", "FHIRHTTP"]),
    .testTarget(name: "BulkExportTests", dependencies: ["Core", "FHIRHTTP", "BulkExport"]),
    .testTarget(
        name: "SleepNightsTests",
        dependencies: ["FHIR", "HealthData", "SleepNights", "TestSupport", "HealthDataTestSupport"]),
    .testTarget(name: "FHIRPatchTests", dependencies: ["Core", "FHIR", "FHIRPatch", "TestSupport"]),
    .testTarget(
        name: "FHIRServerTests",
        dependencies: [
            "Core", "FHIR", "FHIRXML", "FHIRPatch", "FHIRSearch", "HealthTypes", "HealthData", "ServerHTTP", "Storage",
            "Submissions", "AccessPolicy", "Audit", "Identity", "Enrolments", "RecordStorage", "SearchStatements",
            "FHIRHTTP", "BulkExport", "FHIRServer", "TestSupport", "StorageTestSupport", hummingbirdTesting,
            hummingbird, logging, crypto,
        ], exclude: ["DictionarySamples"]),
    .testTarget(
        name: "WarehouseTests",
        dependencies: [
            "Core", "FHIR", "Questionnaires", "HealthData", "Storage", "RecordStorage", "Warehouse", "TestSupport",
            "StorageTestSupport",
        ]),
    .testTarget(
        name: "ReceiverTests",
        dependencies: [
            "Wire", "ServerHTTP", "Storage", "Submissions", "AccessPolicy", "Audit", "Identity", "Enrolments",
            "Receiver", "TestSupport", "StorageTestSupport", crypto, hummingbirdTesting, logging, hummingbird,
        ]),
    .testTarget(name: "StudyKeysTests", dependencies: ["Core", "Wire", "StudyKeys", "TestSupport"]),
    .testTarget(
        name: "AdmissionTests",
        dependencies: [
            "FHIR", "Wire", "InformedConsent", "Storage", "Submissions", "RecordStorage", "Admission", "Consumer",
            "TestSupport",
        ]),
    .testTarget(
        name: "ConsumerTests",
        dependencies: [
            "Core", "FHIR", "Wire", "InformedConsent", "HealthData", "Storage", "Submissions", "AccessPolicy", "Audit",
            "Identity", "Enrolments", "RecordStorage", "FHIRHTTP", "FHIRServer", "Warehouse", "StudyKeys", "Admission",
            "Consumer", "MotionAdapter", "TestSupport", "StorageTestSupport", crypto, cryptoExtras, logging,
        ]),
    .testTarget(
        name: "StudyFilesTests",
        dependencies: [
            "Core", "FHIR", "FHIRValidation", "FHIRVersions", "Wire", "InformedConsent", "HealthData", "RecordStorage",
            "Receiver", "Admission", "StudyFiles", "StudyOperations", "TestSupport",
        ]),
    .testTarget(
        name: "StudyOperationsTests",
        dependencies: [
            "Core", "FHIR", "Wire", "HealthTypes", "ServerHTTP", "Storage", "Submissions", "AccessPolicy", "Audit",
            "RecordStorage", "Warehouse", "Accounts", "Consumer", "StudyFiles", "StudyOperations", "TributaryServer",
            "Enrolments", "TestSupport", crypto,
        ]),
    .testTarget(
        name: "TributaryServerTests",
        dependencies: [
            "FHIR", "Wire", "ServerHTTP", "Storage", "StudyFiles", "StudyOperations", "TributaryServer", "TestSupport",
            "StorageTestSupport", hummingbird, logging,
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
        .library(name: "TributaryFormOperations", targets: ["FormOperations"]),
        .library(name: "TributaryResearchResults", targets: ["ResearchResults"]),
        .library(name: "TributaryResearchKitForms", targets: ["ResearchKitForms"]),
        .library(name: "TributaryFormRendering", targets: ["FormRendering"]),
        .library(name: "TributaryResearchKitAdapter", targets: ["ResearchKitAdapter"]),
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
        .library(name: "TributaryDeviceSystem", targets: ["DeviceSystem"]),
        .library(name: "TributaryAccountClient", targets: ["AccountClient"]),
        .library(name: "TributaryCarePlans", targets: ["CarePlans"]),
        .library(name: "TributaryCareStores", targets: ["CareStores"]),
        .library(name: "TributaryWallet", targets: ["Wallet"]),
        .library(name: "TributaryCareKitAdapter", targets: ["CareKitAdapter"]),
        .library(name: "TributaryLocationAdapter", targets: ["LocationAdapter"]),
        .library(name: "TributaryMotionAdapter", targets: ["MotionAdapter"]),
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
