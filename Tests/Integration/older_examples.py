"""What HL7's own DSTU2 and STU3 examples break, each with the definition of their release that says so.

A rule holds for the issues of one file whose code is the given one and whose place matches the pattern.
"""

FULL_URL = "Bundle.entry.fullUrl: \"The fullUrl SHALL not disagree with the id in the resource.\""
CONTAINED = (
    "DomainResource, dom-3: \"If the resource is contained in another resource, it SHALL be referred to from elsewhere "
    "in the resource\"")
XHTML = "Narrative.div: \"The actual narrative content, a stripped down version of XHTML.\" An & alone is no XHTML."
URI = "Data types, uri: RFC 3986, which has no spaces; the value is a sentence about two URIs."
REFERENCE = (
    "Reference.reference: \"The reference may be a relative reference, in which case it is relative to the service "
    "base URL\", that is Type/id; this is an id alone.")
MIME = (
    "Endpoint.payloadMimeType: required binding to http://www.rfc-editor.org/bcp/bcp13.txt, \"Any valid mime type is "
    "allowed.\" The code is PDF.")
EMPTY = "Narrative, txt-2: \"The narrative SHALL have some non-whitespace content\""

# release -> file without .json -> (code of the issue, pattern of its place, definition)
BROKEN = {
    "dstu2": {
        "Bundle-10bb101f-a121-4264-a920-67be9cb82c74": [("full-url", r"Bundle\.entry\[2\]\.fullUrl", FULL_URL)],
        "Bundle-3a0707d3-549e-4467-b8b8-5a2ab3800efe": [("full-url", r"Bundle\.entry\[3\]\.fullUrl", FULL_URL)],
        "Bundle-2763c3ea-6bce-4f15-bdc9-4b41aaceee03": [
            ("dom-3", r"Bundle\.entry\[0\]\.resource\.contained\[0\]", CONTAINED)],
        "Bundle-72ac8493-52ac-41bd-8d5d-7258c289b5ea": [("txt-1", r"Bundle\.entry\[0\]\.resource\.text\.`div`", XHTML)],
        "Bundle-v2-valuesets": [
            ("txt-1", r"Bundle\.entry\[(29|120|182|242|350)\]\.resource\.text\.`div`", XHTML)],
        "Bundle-types": [
            ("invalid-uri", r"Bundle\.entry\[27\]\.resource\.(snapshot|differential)\.element\[\d\]\..*", URI)],
        "Observation-genetics-example3-mutationlist": [
            ("invalid-reference", r"Observation\.extension\[[3-6]\]\.value\.ofType\(Reference\)\.reference", REFERENCE)],
        "QuestionnaireResponse-3141": [("dom-3", r"QuestionnaireResponse\.contained\[2\]", CONTAINED)],
    },
    "stu3": {
        "Bundle-10bb101f-a121-4264-a920-67be9cb82c74": [("full-url", r"Bundle\.entry\[2\]\.fullUrl", FULL_URL)],
        "Bundle-3a0707d3-549e-4467-b8b8-5a2ab3800efe": [("full-url", r"Bundle\.entry\[3\]\.fullUrl", FULL_URL)],
        "Bundle-registry": [("full-url", r"Bundle\.entry\[1\]\.fullUrl", FULL_URL)],
        "Bundle-terminologies": [("full-url", r"Bundle\.entry\[4[56]\]\.fullUrl", FULL_URL)],
        "Bundle-b0a5e4277-83c4-4adb-87e2-e3efe3369b6f": [
            ("required-binding", r"Bundle\.entry\[\d+\]\.resource\.payloadMimeType\[0\]", MIME)],
        "Bundle-types": [
            ("invalid-uri", r"Bundle\.entry\[37\]\.resource\.(snapshot|differential)\.element\[\d\]\..*", URI)],
        "Questionnaire-zika-virus-exposure-assessment": [("txt-2", r"Questionnaire\.text\.`div`", EMPTY)],
    },
}
