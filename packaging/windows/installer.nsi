; The installer for Windows: for one user, without an administrator.
;   makensis -DVERSION=0.1.0 -DFOLDER=dist\spec-o3-workbench -DICON=icon.ico -DLICENCE=LICENSE -DOUT=setup.exe installer.nsi

Unicode true
SetCompressor /SOLID lzma
!include "MUI2.nsh"

!define TITLE "Spec-o3 Workbench"
!define COMMAND "spec-o3.exe"
!define KIND "SpecO3Workbench.Session"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\SpecO3Workbench"

Name "${TITLE}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${TITLE}"
InstallDirRegKey HKCU "Software\SpecO3Workbench" "Folder"
RequestExecutionLevel user
ManifestDPIAware true
BrandingText "${TITLE} ${VERSION}"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\${TITLE}.exe"
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "SimpChinese"

Section "Install"
  ; What an older version left would be loaded beside the new one.
  RMDir /r "$INSTDIR\_internal"
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${TITLE}.lnk" "$INSTDIR\${TITLE}.exe"

  WriteRegStr HKCU "Software\SpecO3Workbench" "Folder" "$INSTDIR"
  WriteRegStr HKCU "Software\Classes\.speco3" "" "${KIND}"
  WriteRegStr HKCU "Software\Classes\.speco3" "Content Type" "application/x-speco3"
  WriteRegStr HKCU "Software\Classes\${KIND}" "" "${TITLE} session"
  WriteRegStr HKCU "Software\Classes\${KIND}\DefaultIcon" "" "$INSTDIR\${TITLE}.exe,0"
  WriteRegStr HKCU "Software\Classes\${KIND}\shell\open\command" "" '"$INSTDIR\${TITLE}.exe" "%1"'
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${TITLE}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${TITLE}.exe"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd

Section "Uninstall"
  ; Sessions and settings are the user's and stay.
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\licences"
  Delete "$INSTDIR\${TITLE}.exe"
  Delete "$INSTDIR\${COMMAND}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${TITLE}.lnk"
  DeleteRegKey HKCU "Software\Classes\.speco3"
  DeleteRegKey HKCU "Software\Classes\${KIND}"
  DeleteRegKey HKCU "Software\SpecO3Workbench"
  DeleteRegKey HKCU "${UNINSTALL}"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
SectionEnd
