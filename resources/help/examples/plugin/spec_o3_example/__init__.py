"""A worked example of a plug-in for Spec-o3 Workbench."""
