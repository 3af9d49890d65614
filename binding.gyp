{
  # For tools that look for this file. The build is CMake's: CMakeLists.txt, started by cmake-js; npm does the same through
  # the install script of package.json, without which it would run node-gyp because this file exists.
  'targets': [
    {
      'target_name': 'lectern',
      'type': 'none',
      'actions': [
        {
          'action_name': 'cmake_js_compile',
          'inputs': ['CMakeLists.txt'],
          'outputs': ['build/native/lectern.node'],
          'action': ['npx', '--no-install', 'cmake-js', 'compile', '--out', 'build/native'],
        },
      ],
    },
  ],
}
