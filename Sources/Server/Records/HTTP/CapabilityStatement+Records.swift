import FHIR
import Foundation

extension CapabilityStatement {
    /// What the records' FHIR API can do (<https://hl7.org/fhir/R4/http.html#capabilities>).
    static func records(date: Date, url: String) -> CapabilityStatement {
        var statement = CapabilityStatement(id: nil)
        statement.status = "active"
        statement["date"] = .string(DateTime(date, milliseconds: false).text)
        statement.kind = "instance"
        statement["software"] = ["name": "Tributary"]
        statement["implementation"] = ["description": "Records of a study", "url": .string(url)]
        statement.fhirVersion = "4.0.1"
        statement["format"] = ["application/fhir+json"]
        let security: JSON = [
            "description": "A bearer token of the study's staff is required, but for metadata and Questionnaires."
        ]
        let types = RecordType.all.map { type -> JSON in
            let parameters = SearchParameter.allCases.flatMap { parameter in
                parameter.names(for: type).map { name -> JSON in
                    ["name": .string(name), "type": .string(parameter.kind)]
                }
            }
            return [
                "type": .string(type),
                "interaction": .array(
                    ["read", "vread", "history-instance", "search-type"].map { ["code": .string($0)] }),
                "versioning": "versioned", "readHistory": true, "searchParam": .array(parameters),
            ]
        }
        let questionnaire: JSON = ["type": "Questionnaire", "interaction": [["code": "read"]]]
        statement["rest"] = [
            ["mode": "server", "security": security, "resource": .array(types + [questionnaire])]
        ]
        return statement
    }
}
