import FHIR
import Foundation

/// The manifest of an export (<https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status>).
package struct ExportManifest: Sendable {
    package let json: JSON

    package init(_ job: ExportJob, _ files: [BulkExportFile], url: String) {
        func list(_ kind: BulkExportFile.Kind) -> JSON {
            .array(
                files.filter { $0.kind == kind }.map { file in
                    [
                        "type": .string(file.type), "url": .string("\(url)/$export/\(job.id)/\(file.name)"),
                        "count": .number(JSONNumber(file.count)),
                    ]
                })
        }
        json = [
            "transactionTime": .string(DateTime(job.createdAt).text), "request": .string("\(url)/\(job.path)"),
            "requiresAccessToken": true, "output": list(.output), "deleted": list(.deleted), "error": list(.error),
        ]
    }
}
