// swift-tools-version: 6.2
import PackageDescription

// A separate package, run by Fuzzing/run.sh: libFuzzer calls the code that reads untrusted bytes. The
// sources are links to those of the product, compiled with coverage and the address sanitizer.

let sanitized: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]
// The gold linker fails on the sanitizer's objects.
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]

func language(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Language/\(name)", swiftSettings: sanitized)
}

func fuzzer(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["FuzzDriver"] + dependencies, path: "Sources/\(name)", swiftSettings: sanitized,
        linkerSettings: linked)
}

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

let package = Package(
    name: "Fuzzing",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")],
    targets: [
        .systemLibrary(
            name: "CXML2", path: "System/CXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CArchive", path: "System/CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        language("Core"),
        language("FHIR", ["Core"]),
        language("UCUM", ["Core"]),
        language("FHIRPath", ["Core", "FHIR", "UCUM"]),
        language("FHIRValidation", ["FHIR", "FHIRPath", "UCUM"]),
        language("JSONQuery", ["Core"]),
        language("FHIRXML", ["Core", "FHIR", "CXML2"]),
        .target(
            name: "HealthTypes", dependencies: ["Core", "FHIR", "UCUM"], path: "Device/HealthTypes",
            swiftSettings: sanitized),
        .target(
            name: "HealthData", dependencies: ["Core", "FHIR", "HealthTypes", crypto], path: "Device/HealthData",
            swiftSettings: sanitized),
        .target(
            name: "AppleHealthExport", dependencies: ["Core", "HealthData", "HealthTypes", "FHIR", "CArchive"],
            path: "Import/AppleHealthExport", swiftSettings: sanitized),
        .target(
            name: "EventHubs", dependencies: ["Core", crypto], path: "Wire", sources: ["EventHubs", "WireError.swift"],
            swiftSettings: sanitized),
        .target(
            name: "Storage", dependencies: [crypto], path: "Server/Storage", sources: ["SQL/TextDigest.swift"],
            swiftSettings: sanitized),
        .target(
            name: "DeviceGateway",
            dependencies: ["Core", "FHIR", "JSONQuery", "HealthTypes", "HealthData", "Storage", crypto],
            path: "Server/DeviceGateway", sources: ["Measurements", "Observations", "Templates"],
            swiftSettings: sanitized),
        .target(name: "FormLanguages", dependencies: ["FHIR"], path: "Device/FormLanguages", swiftSettings: sanitized),
        .target(
            name: "Questionnaires", dependencies: ["Core", "FHIR", "UCUM", "FHIRPath", "FormLanguages"],
            path: "Device/Questionnaires", swiftSettings: sanitized),
        .target(
            name: "FormRendering", dependencies: ["FHIR", "UCUM", "FHIRPath", "Questionnaires"],
            path: "Device/FormRendering", swiftSettings: sanitized),
        .target(name: "FuzzDriver", path: "Sources/FuzzDriver", swiftSettings: sanitized),
        fuzzer("FuzzJSON", ["FHIR"]),
        fuzzer("FuzzXML", ["FHIR", "FHIRXML"]),
        fuzzer("FuzzFHIRPath", ["FHIR", "FHIRPath"]),
        fuzzer("FuzzQuery", ["JSONQuery"]),
        fuzzer("FuzzUCUM", ["UCUM"]),
        fuzzer("FuzzValidation", ["FHIR", "FHIRValidation"]),
        fuzzer("FuzzExport", ["AppleHealthExport", "HealthData", "FHIR"]),
        fuzzer("FuzzExportFiles", ["AppleHealthExport", "HealthData", "FHIR"]),
        fuzzer("FuzzHealthKitUnit", ["HealthTypes"]),
        fuzzer("FuzzSignature", ["EventHubs"]),
        fuzzer("FuzzTemplates", ["DeviceGateway", "FHIR"]),
        fuzzer("FuzzForm", ["FHIR", "Questionnaires", "FormRendering"]),
        fuzzer("FuzzSteps", ["FHIR", "Questionnaires"]),
    ],
    swiftLanguageModes: [.v6]
)
