import BulkExport
import FHIR
import FHIRPatch

/// The API as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.0.html>). It is made from the
/// CapabilityStatement, so that both describe the same.
struct OpenAPIDocument {
    let json: JSON

    /// - Parameter url: the base URL of the paths.
    init(_ statement: CapabilityStatement, url: String) {
        var paths = OpenAPIPaths(patches: statement.patchFormat)
        for rest in statement.rest {
            paths.addSystem(rest)
            for resource in rest.resource { paths.add(resource) }
        }
        json = [
            "openapi": "3.1.0",
            "info": [
                "title": .string(statement.implementation?.description ?? "Records of a study"), "version": "R4",
                "summary": "FHIR R4 (4.0.1), as in its CapabilityStatement at /metadata",
            ],
            "servers": [["url": .string(url)]], "security": [["bearer": []]], "paths": .object(paths.object),
            "components": Self.components(paths.types),
        ]
    }

    private static func components(_ types: [String]) -> JSON {
        var schemas = JSONObject()
        schemas["Resource"] = [
            "type": "object", "required": ["resourceType"],
            "properties": ["resourceType": ["type": "string"], "id": ["type": "string"], "meta": ["type": "object"]],
        ]
        for type in Set(types + ["Bundle", "OperationOutcome", "CapabilityStatement", "Parameters"]).sorted() {
            schemas[type] = [
                "allOf": [["$ref": "#/components/schemas/Resource"]],
                "properties": ["resourceType": ["const": .string(type)]],
            ]
        }
        // <https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status>
        schemas["ExportManifest"] = [
            "type": "object", "required": ["transactionTime", "request", "requiresAccessToken", "output", "error"],
            "properties": [
                "transactionTime": ["type": "string"], "request": ["type": "string"],
                "requiresAccessToken": ["type": "boolean"], "output": ["type": "array"], "deleted": ["type": "array"],
                "error": ["type": "array"],
            ],
        ]
        // RFC 6902.
        schemas["JSONPatch"] = [
            "type": "array",
            "items": [
                "type": "object", "required": ["op", "path"],
                "properties": [
                    "op": ["enum": ["add", "remove", "replace", "move", "copy", "test"]], "path": ["type": "string"],
                    "from": ["type": "string"], "value": [:],
                ],
            ],
        ]
        return [
            "securitySchemes": ["bearer": ["type": "http", "scheme": "bearer"]], "schemas": .object(schemas),
            "parameters": [
                "id": [
                    "name": "id", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[A-Za-z0-9.-]{1,64}$"],
                ],
                "version": [
                    "name": "version", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[1-9][0-9]{0,17}$"],
                ],
                "job": [
                    "name": "job", "in": "path", "required": true, "schema": ["type": "string", "format": "uuid"],
                ],
                "file": [
                    "name": "file", "in": "path", "required": true,
                    "schema": ["type": "string", "pattern": "^[A-Za-z0-9.]{1,128}$"],
                ],
                "member": [
                    "name": "member", "in": "path", "required": true,
                    "description": "A type, or * for all types in the compartment",
                    "schema": ["type": "string", "pattern": "^([A-Z][A-Za-z]{0,63}|\\*)$"],
                ],
            ],
            "responses": [
                "refusal": [
                    "description": "Refused; the stable code is in issue.details.text",
                    "content": OpenAPIPaths.content("OperationOutcome"),
                ]
            ],
        ]
    }
}
