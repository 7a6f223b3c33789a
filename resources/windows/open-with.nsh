; Offers Mien under "Open with" for pictures and videos. electron-builder's fileAssociations would also make it the
; default program of files that have none.
!macro supportType EXTENSION
  WriteRegStr SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\SupportedTypes" ".${EXTENSION}" ""
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}" "FriendlyAppName" "${PRODUCT_NAME}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro supportType "jpg"
  !insertmacro supportType "jpeg"
  !insertmacro supportType "png"
  !insertmacro supportType "webp"
  !insertmacro supportType "avif"
  !insertmacro supportType "gif"
  !insertmacro supportType "bmp"
  !insertmacro supportType "mp4"
  !insertmacro supportType "m4v"
  !insertmacro supportType "mov"
  !insertmacro supportType "webm"
  !insertmacro supportType "mkv"
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey SHELL_CONTEXT "Software\Classes\Applications\${APP_EXECUTABLE_FILENAME}"
  ${endIf}
!macroend
