import FHIR
import Foundation
import HealthData

/// An Apple Health export: the `export.zip`, the unpacked folder, or the XML file whatever its name.
///
/// ```swift
/// let account = try HealthExport(path: "export.zip").convert(HealthSelection(subject: "p1")) { made in
///     made.write(to: &output)
/// }
/// ```
///
/// Only the XML with the root `HealthData` is read. ECG files, routes, clinical records and the CDA document are counted
/// by their kind and never opened: they hold names, places and what no study asked for. Of the XML, `Me` is not read.
public struct HealthExport: Sendable {
    private let path: String

    public init(path: String) { self.path = path }

    /// Streams the export: memory does not grow with its size but for the identities (``HealthConversion``).
    ///
    /// - Parameters:
    ///   - isKnown: whether a sample was converted at an earlier time; such are skipped.
    ///   - emit: takes each observation in turn. What it throws ends the conversion and is thrown on.
    /// - Returns: the account. A file that is cut or damaged has the outcome ``HealthAccount/Outcome/truncated``.
    /// - Throws: ``ExportError`` where there is no export to read; what `emit` throws.
    public func convert(
        _ selection: HealthSelection = HealthSelection(), isKnown: (SampleIdentity) -> Bool = { _ in false },
        emit: (HealthObservation) throws -> Void
    ) throws -> HealthAccount {
        try withoutActuallyEscaping(isKnown) { isKnown in
            try withoutActuallyEscaping(emit) { emit in
                try convert(HealthConversion(selection, isKnown: isKnown, emit: emit))
            }
        }
    }

    private func convert(_ conversion: HealthConversion) throws -> HealthAccount {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ExportError.unreadable(errno: 2)
        }
        if isFolder.boolValue { return try folder(conversion) }
        let head = try FileBytes.head(path: path, count: ExportFile.headLength)
        if head.isEmpty { throw ExportError.empty }
        if ExportFile.isArchive(head) { return try archive(conversion) }
        try ExportStream(conversion).run(FileBytes(path: path), isRecognised: ExportFile.isExport(head))
        return conversion.account
    }

    /// The first file, in the order of paths, that is an export.
    private func folder(_ conversion: HealthConversion) throws -> HealthAccount {
        var found: String?
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
        for name in files {
            let file = path + "/" + name
            let parts = name.split(separator: "/")
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
                attributes[.type] as? FileAttributeType == .typeRegular
            else { continue }
            var kind = ExportFile(name: String(parts.last ?? ""))
            if parts.contains("__MACOSX") || parts.last?.hasPrefix("._") == true { kind = .resourceFork }
            if kind == .xml || kind == .unknown {
                if let head = try? FileBytes.head(path: file, count: ExportFile.headLength), ExportFile.isExport(head) {
                    if found == nil {
                        found = file
                        continue
                    }
                }
                if kind == .xml { kind = .otherXML }
            }
            conversion.account.notRead[kind.rawValue, default: 0] += 1
        }
        guard let found else { throw ExportError.notAnExport }
        try ExportStream(conversion).run(FileBytes(path: found), isRecognised: true)
        return conversion.account
    }

    /// The first entry that is an export.
    private func archive(_ conversion: HealthConversion) throws -> HealthAccount {
        let archive = try ZipArchive(path: path)
        var isFound = false
        while let entry = try archive.next() {
            switch entry {
            case .refused: conversion.account.notRead["refused-path", default: 0] += 1
            case .other(let file): conversion.account.notRead[file.rawValue, default: 0] += 1
            case .candidate:
                if !isFound, ExportFile.isExport(try archive.peek(ExportFile.headLength)) {
                    isFound = true
                    try ExportStream(conversion).run(archive, isRecognised: true)
                } else {
                    conversion.account.notRead[ExportFile.otherXML.rawValue, default: 0] += 1
                }
            }
        }
        guard isFound else { throw ExportError.notAnExport }
        return conversion.account
    }
}
